/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The functions of OpenCL that ocl/ calls, as ocl_api.NAME (ocl/device/cl.h),
 * one line each, alphabetically.
 *
 * CALL (name): every OpenCL 1.2 library has it; without it there are no devices.
 * CALL_2_0 (name): of OpenCL 2.0; NULL in older libraries. */

CALL (clBuildProgram)
CALL (clCreateBuffer)
CALL (clCreateCommandQueue)
CALL (clCreateContext)
CALL (clCreateKernel)
CALL (clCreateProgramWithBinary)
CALL (clCreateProgramWithSource)
CALL (clEnqueueCopyBuffer)
CALL (clEnqueueMapBuffer)
CALL (clEnqueueMarkerWithWaitList)
CALL (clEnqueueNDRangeKernel)
CALL (clEnqueueReadBuffer)
CALL_2_0 (clEnqueueSVMMap)
CALL_2_0 (clEnqueueSVMUnmap)
CALL (clEnqueueUnmapMemObject)
CALL (clEnqueueWriteBuffer)
CALL (clFinish)
CALL (clFlush)
CALL (clGetDeviceIDs)
CALL (clGetDeviceInfo)
CALL (clGetEventProfilingInfo)
CALL (clGetExtensionFunctionAddressForPlatform)
CALL (clGetPlatformIDs)
CALL (clGetPlatformInfo)
CALL (clGetProgramBuildInfo)
CALL (clGetProgramInfo)
CALL (clReleaseCommandQueue)
CALL (clReleaseContext)
CALL (clReleaseEvent)
CALL (clReleaseKernel)
CALL (clReleaseMemObject)
CALL (clReleaseProgram)
CALL (clRetainCommandQueue)
CALL (clRetainContext)
CALL_2_0 (clSVMAlloc)
CALL_2_0 (clSVMFree)
CALL (clSetKernelArg)
CALL_2_0 (clSetKernelArgSVMPointer)
CALL (clWaitForEvents)
