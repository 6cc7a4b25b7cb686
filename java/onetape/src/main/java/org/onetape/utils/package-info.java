/**
 * Helpers around training: tables of models, measures of predictions, event files for TensorBoard.
 */
package org.onetape.utils;
