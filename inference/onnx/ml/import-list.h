/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ONNX (type, function, file): an operation of the domain ai.onnx.ml, and what
 * imports it. */

ONNX (ArrayFeatureExtractor, ml_array_feature_extractor, features)
ONNX (Binarizer, ml_binarizer, features)
ONNX (Imputer, ml_imputer, features)
ONNX (LabelEncoder, ml_label_encoder, features)
ONNX (LinearClassifier, ml_linear_classifier, linear)
ONNX (LinearRegressor, ml_linear_regressor, linear)
ONNX (Normalizer, ml_normalizer, features)
ONNX (Scaler, ml_scaler, features)
ONNX (TreeEnsemble, ml_tree_ensemble, tree-ensemble)
ONNX (TreeEnsembleRegressor, ml_tree_ensemble_regressor, tree-nodes)
