package org.onetape.profiler;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A span as the JDK's Flight Recorder shows it. */
@Name("org.onetape.Operator")
@Label("Operator")
@Category("onetape")
@Description("A call of an operator, a run of a node of the graph, or a block that a program named")
@StackTrace(false)
final class OperatorEvent extends Event {
  @Label("Name")
  String name;

  @Label("Kind")
  @Description("operator, backward or user")
  String kind;

  @Label("Depth")
  @Description("How many others it runs in")
  int depth;
}
