// Which layer each box of a picture stands in.

const MOST_GATES = 300; // they cost a walk through the graph for each open module

const least = (list, of, start = Infinity) => list.reduce((found, one) => Math.min(found, of(one)), start);
const most = (list, of, start = -Infinity) => list.reduce((found, one) => Math.max(found, of(one)), start);

/** Marks arrows that would close a circle, which folding can make; without recursion. */
function markCircles(boxes, arrows) {
  const out = boxes.map(() => []);
  for (const arrow of arrows) out[arrow.from].push(arrow);
  const state = new Uint8Array(boxes.length); // 1: on the path, 2: done
  for (let start = 0; start < boxes.length; ++start) {
    if (state[start]) continue;
    state[start] = 1;
    const path = [[start, 0]];
    while (path.length) {
      const top = path[path.length - 1];
      const arrow = out[top[0]][top[1]++];
      if (!arrow) {
        state[top[0]] = 2;
        path.pop();
      } else if (state[arrow.to] === 1) {
        arrow.back = true;
      } else if (!state[arrow.to]) {
        state[arrow.to] = 1;
        path.push([arrow.to, 0]);
      }
    }
  }
}

/**
 * For each open module, what leads into it and what begins inside it: the second is to stand below the first, so that
 * modules which follow each other stand below each other. What a module itself leads to is left out.
 */
function findGates(boxes, arrows, groups, next) {
  if (groups.size > MOST_GATES) return [];
  const members = new Map([...groups.keys()].map(id => [id, []]));
  boxes.forEach((box, i) => {
    for (let g = groups.get(box.group); g; g = groups.get(g.parent)) members.get(g.module).push(i);
  });
  const hasInput = new Uint8Array(boxes.length);
  for (const { to } of arrows) hasInput[to] = 1;
  const gates = [];
  for (const inside of members.values()) {
    const after = inside.filter(i => !hasInput[i]);
    const reached = new Uint8Array(boxes.length);
    const isIn = new Uint8Array(boxes.length);
    for (const i of inside) reached[i] = isIn[i] = 1;
    for (const open = [...inside]; open.length;) {
      for (const to of next[open.pop()]) {
        if (!reached[to]) open.push(to);
        reached[to] = 1;
      }
    }
    const before = arrows.filter(({ from, to }) => isIn[to] && !reached[from]).map(({ from }) => from);
    if (after.length && before.length) gates.push({ before: [...new Set(before)], after });
  }
  return gates;
}

/** Layers by the longest way from the leaves, with a gate as a stop on the way; null where gates close a circle. */
function longestWays(boxes, next, gates) {
  const stops = boxes.length + gates.length;
  const ways = next.map(list => list.slice());
  gates.forEach(({ before, after }, i) => {
    for (const from of before) ways[from].push(boxes.length + i);
    ways.push(after);
  });
  const open = new Uint32Array(stops);
  for (const list of ways) for (const to of list) ++open[to];
  const layers = new Uint32Array(stops);
  const order = [];
  for (let i = 0; i < stops; ++i) if (!open[i]) order.push(i);
  for (let at = 0; at < order.length; ++at) {
    const here = order[at];
    for (const to of ways[here]) {
      layers[to] = Math.max(layers[to], layers[here] + (to < boxes.length ? 1 : 0));
      if (!--open[to]) order.push(to);
    }
  }
  return order.length < stops ? null : { layers, order, ways };
}

/** A layer for each box; what only feeds others moves down to its first user. */
function assignLayers(boxes, arrows, groups) {
  const next = boxes.map(() => []);
  const inputs = new Uint32Array(boxes.length);
  for (const { from, to } of arrows) {
    next[from].push(to);
    ++inputs[to];
  }
  const { layers, order, ways } =
    longestWays(boxes, next, findGates(boxes, arrows, groups, next)) ?? longestWays(boxes, next, []);
  for (const i of order.reverse()) {
    const isBox = i < boxes.length;
    if (!ways[i].length || (isBox && inputs[i] > next[i].length)) continue;
    layers[i] = least(ways[i], to => layers[to] - (to < boxes.length ? 1 : 0));
  }
  boxes.forEach((box, i) => { box.layer = layers[i]; });
}
