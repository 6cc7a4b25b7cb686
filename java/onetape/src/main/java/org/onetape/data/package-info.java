/** Datasets, samplers, loaders that make batches in threads, and readers of files. */
package org.onetape.data;
