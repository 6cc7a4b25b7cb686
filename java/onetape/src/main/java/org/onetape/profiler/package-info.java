/**
 * Where a program's time and memory go: each operator, forward and backward, with shapes and calls
 * where they are wanted; in tables, traces, flame graphs, and in the JDK's Flight Recorder.
 */
package org.onetape.profiler;
