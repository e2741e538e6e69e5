/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A graph resolved for the shapes of its inputs: values with their places in
 * memory, and a flat list of steps.
 *
 *   fuse.c      operations of this backend in place of several
 *   plan.c      makes values and steps from a graph
 *   value.c     a value: its shape, whose memory it is
 *   step.c      a step: made, prepared, its shapes
 *   fold.c      operations that are computed while planning
 *   absorb.c    operations that the step before them does in passing
 *   layout.c    the order of elements in memory: plain or channels last
 *   levels.c    floats of a FakeQuantize kept as bytes
 *   take-over.c steps that do what earlier ones would
 *   halves.c    floats between steps that are kept as half floats
 *   arena.c     liveness and places in the arena
 *   run.c       binds memory and runs; shapes that depend on data
 *   runner.c    a graph with its plans, one for each set of input shapes
 *   backend.c   what one request has: the main runner, states
 */

#pragma once

#include "cpu/base/impl.h"
#include "cpu/plan/graph.h"

G_BEGIN_DECLS

typedef struct _CpuRunner CpuRunner;
typedef struct _CpuContext CpuContext;
typedef struct _CpuPlanValue CpuPlanValue;

/* Where the memory of a value comes from. */
typedef enum
{
  CPU_PLACE_CONSTANT, /* the model's, or made while planning */
  CPU_PLACE_ARENA,    /* at an offset in the runner's arena */
  CPU_PLACE_INPUT,    /* the caller's, bound at each run */
  CPU_PLACE_RESULT,   /* the caller's, bound at each run */
  CPU_PLACE_RUN,      /* set by its step: a variable's value */
  CPU_PLACE_OWN,      /* of a size known only when it runs; grows, is kept */
} CpuPlace;

struct _CpuPlanValue
{
  CpuValue v;                 /* first: CpuValue * and CpuPlanValue * convert */
  CpuPlace place;             /* of a root */
  CpuPlanValue *root;         /* itself, or the value whose memory it shares */
  CpuPlanValue *next_alias;   /* of a root: list of the values upon it */
  CpuPlanValue *other_layout; /* the same in the other layout, once wanted */
  CpuPlanValue *keeps;        /* memory that must live as long as this value */
  gboolean known;             /* v.desc is whole while planning */
  guint index;                /* of an input or result */
  gsize bytes, offset;
  CpuQuant quant;       /* of levels */
  CpuF16Scale halves;   /* of half floats */
  CpuPlanValue *levels; /* nullable: the same as levels (levels.c) */
  gboolean unmade;      /* nothing but the levels is there yet */
  gboolean on_grid;     /* all floats are levels of: */
  CpuQuant grid;
  guint first, last;   /* steps between which a root is alive */
  InferTensor *tensor; /* of a constant, or own memory */
};

typedef struct
{
  CpuStep s;           /* first */
  const CpuNode *node; /* NULL: inserted by the plan (a reorder, a copy) */
  const guint64 *guard;
  gboolean lazy; /* shapes are resolved when it runs */
  gboolean prepared;
  InferDesc *seen;         /* lazy: input descs of the last resolution */
  gsize *seen_blocks;      /* … their gaps */
  GByteArray *seen_values; /* … and values of inputs that decide shapes */
  GPtrArray *packs;        /* (element-type CpuPack) */
  GPtrArray *taken; /* (element-type CpuPlanStep) nullable: take-over.c */
  /* tune.c: the implementations that prepare chose from, and 1 + the one it
   * must take. */
  const char *choices[CPU_MAX_IMPLS];
  guint n_choices, max_threads, forced;
  gboolean tuned;
  guint64 ns; /* of the last run, where counted */
} CpuPlanStep;

struct _CpuPlan
{
  CpuRunner *runner;     /* NULL while evaluating a single operation */
  const CpuGraph *graph; /* ditto */
  CpuScope *scope;
  CpuTeam *team; /* while running */
  guint n_inputs;
  InferDesc *key;        /* whole descs of the inputs */
  GPtrArray *values;     /* (element-type CpuPlanValue) */
  CpuPlanValue ***ports; /* by operation index and output; entries nullable */
  GPtrArray *steps;      /* (element-type CpuPlanStep) */
  GPtrArray *inputs;     /* (element-type CpuPlanValue) roots, by input */
  GPtrArray *results;    /* (element-type CpuPlanValue) as read by result k */
  GPtrArray *packs;      /* (element-type CpuPack) that values are */
  gboolean packed;       /* something since the last run */
  gsize arena_size, scratch_size;
  gconstpointer bound_arena;
  guint64 used; /* the runner's clock at the last use */
};

/* NULL with @error.  @inputs: whole descs for each parameter of the graph. */
CpuPlan *cpu_plan_new (CpuRunner *runner, const CpuGraph *graph,
    const InferDesc *inputs, GError **error);
void cpu_plan_free (CpuPlan *plan);

/* --- within the plan --- */

/* Without a graph: to compute a single operation. */
CpuPlan *cpu_plan_alloc (CpuScope *scope);
/* The value that @port gives; NULL: nobody made one. */
CpuPlanValue *cpu_plan_port (const CpuPlan *plan, const InferPort *port);

/* value.c */
CpuPlanValue *cpu_plan_add_value (CpuPlan *plan, const InferDesc *desc);
void cpu_plan_alias (CpuPlanValue *value, CpuPlanValue *on);
void cpu_plan_make_constant (CpuPlanValue *value, InferTensor *tensor);
/* Sets desc, n and bytes. */
void cpu_value_set_desc (CpuPlanValue *value, const InferDesc *desc);
void cpu_value_free (CpuPlanValue *value);

/* step.c: appends a step; input and output arrays are zeroed. */
CpuPlanStep *cpu_plan_add_step (CpuPlan *plan, const CpuNode *node,
    const CpuOp *cpu_op, guint n_in, guint n_out);
gboolean cpu_plan_step_prepare (
    CpuPlan *plan, CpuPlanStep *step, GError **error);
void cpu_plan_step_free (CpuPlan *plan, CpuPlanStep *step);
/* Prepares for other shapes than before; what stays the same is not packed
 * again. */
gboolean cpu_plan_step_renew (CpuPlan *plan, CpuPlanStep *step, GError **error);
/* Infers output descs of @step from its inputs (and the values it has). */
gboolean cpu_plan_step_infer (const CpuPlanStep *step, gboolean use_values,
    InferDesc *out, GError **error);
/* @packs: (element-type CpuPack) (transfer full) */
void cpu_plan_free_packs (CpuPlan *plan, GPtrArray *packs);

/* fold.c: whether the outputs of @step, of whole shapes, follow from constants;
 * and makes them constants, which leaves the step without use. */
gboolean cpu_plan_can_fold (const CpuPlanStep *step);
gboolean cpu_plan_fold (CpuPlan *plan, CpuPlanStep *step, GError **error);

/* absorb.c: the operations that read @step's output, one after the other,
 * become part of it.  Returns the last operation that is done. */
const CpuNode *cpu_plan_absorb_readers (CpuPlan *plan, CpuPlanStep *step);

/* unpack.c: gives a constant that the file stores in fewer bits its floats, or
 * one that lies askew aligned memory.  Fine for all values, NULL too. */
gboolean cpu_plan_unpack (CpuPlan *plan, CpuPlanValue *value, GError **error);
/* The latter alone; @value is not NULL. */
gboolean cpu_plan_align (CpuPlan *plan, CpuPlanValue *value, GError **error);

/* layout.c: @value in @layout; a reorder step is added where needed. */
CpuPlanValue *cpu_plan_in_layout (
    CpuPlan *plan, CpuPlanValue *value, CpuLayout layout, GError **error);
/* Both layouts are the same bytes. */
gboolean cpu_layouts_coincide (const InferShape *shape);
/* A Transpose that only renames the layout: TRUE, and *@layout of the output.
 */
gboolean cpu_layout_of_transpose (const CpuPlanStep *step, CpuLayout *layout);
/* Decides step->layout and brings the inputs into theirs. */
gboolean cpu_plan_choose_layout (
    CpuPlan *plan, CpuPlanStep *step, GError **error);

/* levels.c: an unmade @floats (nullable) gets the step that makes it; returns
 * whether there is a new step. */
gboolean cpu_plan_make_floats (CpuPlan *plan, CpuPlanValue *floats);
/* A convolution that can read levels is given them; TRUE where it was. */
gboolean cpu_plan_take_levels (CpuPlan *plan, CpuPlanStep *step);
/* Whether what a step gives, whose inputs are there, are levels: what a
 * FakeQuantize gives, wherever it is moved. */
void cpu_plan_note_grid (CpuPlan *plan, CpuPlanStep *step);
/* What moves levels to a convolution as bytes; TRUE where it will. */
gboolean cpu_plan_move_levels (CpuPlan *plan, CpuPlanStep *step);
/* The FakeQuantize that reads what @step gives, after operation @last which it
 * has absorbed, becomes part of it. */
void cpu_plan_absorb_quantize (
    CpuPlan *plan, CpuPlanStep *step, const CpuNode *last);
/* A FakeQuantize whose layout is chosen gives levels; TRUE where it will. */
gboolean cpu_plan_quantize (CpuPlan *plan, CpuPlanStep *step);
/* An Add of levels becomes levels again, with the FakeQuantize that reads it;
 * TRUE where it will. */
gboolean cpu_plan_add_of_levels (CpuPlan *plan, CpuPlanStep *step);

/* take-over.c: when all steps are there, some become part of others. */
void cpu_plan_take_over (CpuPlan *plan);

/* halves.c: … and then some values become half floats. */
gboolean cpu_plan_keep_halves (CpuPlan *plan, GError **error);

/* arena.c: after all steps are there. */
gboolean cpu_plan_place (CpuPlan *plan, GError **error);

/* run.c */
typedef struct
{
  InferDesc desc;
  gpointer data;
} CpuInput;

/* @outputs: tensors that the results are written to, reshaped as needed. */
gboolean cpu_plan_run (CpuPlan *plan, const CpuInput *inputs,
    InferTensor **outputs, GError **error);
/* Where a root lies from now on, and all that lies upon it. */
void cpu_value_bind (CpuPlanValue *root, gpointer data);

/* runner.c */
CpuRunner *cpu_runner_new (CpuContext *context, const CpuGraph *graph);
void cpu_runner_free (CpuRunner *runner);
gboolean cpu_runner_run (CpuRunner *runner, const CpuInput *inputs,
    InferTensor **outputs, GError **error);
CpuContext *cpu_runner_get_context (CpuRunner *runner);
/* Memory for plans: at least the given sizes.  Plans of one runner run one at a
 * time and share it. */
gboolean cpu_runner_reserve (
    CpuRunner *runner, gsize arena, gsize scratch, GError **error);
gpointer cpu_runner_arena (CpuRunner *runner);
gpointer cpu_runner_scratch (CpuRunner *runner);
const CpuPlan *cpu_runner_last_plan (CpuRunner *runner);

/* backend.c */
struct _CpuContext
{
  CpuScope *scope;
  const InferModel *model;
  CpuRunner *main;
  InferState *const *states; /* while running */
  guint64 *reset;            /* variables that are reset, bit set */
  gboolean *assigned;        /* per variable, in this run */
  CpuValue **grown; /* per variable: its next value, in place already */
  CpuTeam *team;
  InferDumpRun *dump; /* while running; NULL: nothing is dumped */
};

/* Context of a step that runs in a request; NULL while evaluating. */
CpuContext *cpu_step_context (const CpuStep *step);

/* fold.c: computes one operation on whole tensors, for the model.  @outputs
 * (transfer full). */
gboolean cpu_evaluate (CpuScope *scope, const InferOperation *op,
    InferTensor *const *inputs, InferTensor **outputs, GError **error);

G_END_DECLS
