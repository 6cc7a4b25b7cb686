// Places boxes and arrows: data flows downwards, a module's boxes stay together, and nothing lies on anything else.
//
// Boxes stand in layers. An arrow that passes layers gets a lane there, so that boxes make room for it. The boxes, lanes
// and modules inside one module are items, each of some layers; items that share a layer stand side by side. Sweeps down
// and up move each item towards the middle of what it is connected with.

const BETWEEN_BOXES = 22;
const BETWEEN_LANES = 10;
const BETWEEN_LAYERS = 34;
const GROUP_PADDING = 12;
const GROUP_HEADER = 20;
const SWEEPS = 8;
const LANES_PER_BOX = 4; // longer arrows beyond that go straight

class Layout {
  constructor({ boxes, arrows, groups }) {
    this.boxes = boxes;
    this.arrows = arrows;
    this.groups = groups;
    markCircles(boxes, arrows);
    assignLayers(boxes, arrows.filter(arrow => !arrow.back), groups);
    this.dropEmptyLayers();
    this.makeItems();
    this.makeLanes();
    for (let sweep = 0; sweep < SWEEPS; ++sweep) this.sweep(sweep % 2 === 0);
    this.placeLayers();
    this.finish();
  }

  dropEmptyLayers() {
    const used = [...new Set(this.boxes.map(box => box.layer))].sort((a, b) => a - b);
    const place = new Map(used.map((layer, i) => [layer, i]));
    for (const box of this.boxes) box.layer = place.get(box.layer);
    this.layers = used.length;
  }

  makeItems() {
    this.root = { items: [], depth: -1, lo: 0, hi: this.layers };
    for (const group of this.groups.values()) Object.assign(group, { items: [], lo: Infinity, hi: -1, points: [], groups: [] });
    const depth = group => {
      group.depth ??= group.parent < 0 ? 0 : depth(this.groups.get(group.parent)) + 1;
      return group.depth;
    };
    for (const group of this.groups.values()) {
      depth(group);
      (this.groups.get(group.parent) ?? this.root).items.push(group);
      for (let g = this.groups.get(group.parent); g; g = this.groups.get(g.parent)) g.groups.push(group);
    }
    for (const box of this.boxes) {
      Object.assign(box, { lo: box.layer, hi: box.layer, x: 0, above: [], below: [] });
      (this.groups.get(box.group) ?? this.root).items.push(box);
      for (let g = this.groups.get(box.group); g; g = this.groups.get(g.parent)) {
        g.lo = Math.min(g.lo, box.layer);
        g.hi = Math.max(g.hi, box.layer);
        g.points.push(box);
      }
    }
    this.inner = [...this.groups.values()].sort((a, b) => b.depth - a.depth);
  }

  /** The open modules around a box, the innermost first. */
  around(box) {
    const all = [];
    for (let g = this.groups.get(box.group); g; g = this.groups.get(g.parent)) all.push(g);
    return all;
  }

  makeLanes() {
    let left = this.boxes.length * LANES_PER_BOX + 1000;
    const join = (a, b) => {
      a.below.push(b);
      b.above.push(a);
    };
    const bySpan = this.arrows.filter(arrow => !arrow.back)
      .sort((a, b) => this.span(a) - this.span(b));
    for (const arrow of bySpan) {
      const from = this.boxes[arrow.from];
      const to = this.boxes[arrow.to];
      arrow.lanes = [];
      const passed = to.layer - from.layer - 1;
      if (passed > 0 && passed <= left) {
        left -= passed;
        arrow.lanes = this.lanesOf(from, to);
      }
      const points = [from, ...arrow.lanes, to];
      for (let i = 1; i < points.length; ++i) join(points[i - 1], points[i]);
    }
  }

  span(arrow) { return this.boxes[arrow.to].layer - this.boxes[arrow.from].layer; }

  /** A lane for each module that the arrow passes through: out of those of its start, into those of its end. */
  lanesOf(from, to) {
    const leaves = this.around(from);
    const enters = this.around(to);
    const lanes = [];
    for (let layer = from.layer + 1; layer < to.layer; ++layer) {
      const shared = g => leaves.includes(g) && enters.includes(g);
      const owner = leaves.find(g => shared(g) || layer <= g.hi) ?? null;
      const into = enters.find(g => shared(g) || layer >= g.lo) ?? null;
      const at = owner && !shared(owner) ? owner : into ?? owner ?? this.root;
      const last = lanes[lanes.length - 1];
      if (last?.owner === at) {
        last.hi = layer;
        continue;
      }
      const lane = { owner: at, lo: layer, hi: layer, width: 2, x: from.x, above: [], below: [], lane: true };
      lanes.push(lane);
      at.items.push(lane);
      for (let g = at === this.root ? null : at; g; g = this.groups.get(g.parent)) g.points.push(lane);
    }
    return lanes;
  }

  /** Moves every item of every module, the inner modules first. */
  sweep(down) {
    for (const group of this.inner) this.arrange(group, down);
    this.arrange(this.root, down);
  }

  arrange(group, down) {
    const starts = new Map();
    for (const item of group.items) {
      const layer = down ? item.lo : item.hi;
      if (!starts.has(layer)) starts.set(layer, []);
      starts.get(layer).push(item);
    }
    const layers = [...starts.keys()].sort((a, b) => (down ? a - b : b - a));
    let active = [];
    for (const layer of layers) {
      active = active.filter(item => (down ? item.hi >= layer : item.lo <= layer));
      const fresh = starts.get(layer);
      for (const item of fresh) item.wanted = this.wanted(item, down);
      settle(fresh, active, (item, x) => this.move(item, x));
      active = active.concat(fresh).sort((a, b) => a.x - b.x);
    }
    if (group === this.root) return;
    const left = least(group.items, item => item.x - item.width / 2);
    const right = most(group.items, item => item.x + item.width / 2);
    group.x = (left + right) / 2;
    group.width = Math.max(right - left + 2 * GROUP_PADDING, group.labelWidth ?? 0);
  }

  move(item, x) {
    const by = x - item.x;
    if (item.points && by) {
      for (const point of item.points) point.x += by;
      for (const inner of item.groups) inner.x += by;
    }
    item.x = x;
  }

  /** Where an item wants to be: in the middle of what comes before it, and a little of what comes after. */
  wanted(item, down) {
    let sums = [0, 0];
    let counts = [0, 0];
    const take = (point, neighbours, which) => {
      for (const other of neighbours) {
        if (item.points && item.inside?.has(other)) continue;
        sums[which] += other.x - (point === item ? 0 : point.x - item.x);
        ++counts[which];
      }
    };
    if (item.points) item.inside ??= new Set(item.points);
    for (const point of item.points ?? [item]) {
      take(point, point.above, down ? 0 : 1);
      take(point, point.below, down ? 1 : 0);
    }
    const ahead = counts[0] ? sums[0] / counts[0] : null;
    const behind = counts[1] ? sums[1] / counts[1] : null;
    if (ahead === null) return behind ?? item.x;
    return behind === null ? ahead : 0.75 * ahead + 0.25 * behind;
  }

  placeLayers() {
    const heights = new Float64Array(this.layers);
    for (const box of this.boxes) heights[box.layer] = Math.max(heights[box.layer], box.height);
    // Modules that begin or end at a layer need room for their frames, one inside the other.
    const above = new Float64Array(this.layers + 1);
    const below = new Float64Array(this.layers + 1);
    for (const group of this.inner) {
      const inner = group.items.filter(item => item.items);
      group.top = GROUP_HEADER + GROUP_PADDING + most(inner.filter(g => g.lo === group.lo), g => g.top, 0);
      group.bottom = GROUP_PADDING + most(inner.filter(g => g.hi === group.hi), g => g.bottom, 0);
      above[group.lo] = Math.max(above[group.lo], group.top);
      below[group.hi] = Math.max(below[group.hi], group.bottom);
    }
    this.tops = [];
    this.bottoms = [];
    let y = 0;
    for (let i = 0; i < this.layers; ++i) {
      y += above[i];
      this.tops.push(y);
      y += heights[i];
      this.bottoms.push(y);
      y += below[i] + BETWEEN_LAYERS;
    }
  }

  finish() {
    for (const box of this.boxes) box.y = (this.tops[box.layer] + this.bottoms[box.layer]) / 2;
    let left = Infinity;
    let right = -Infinity;
    const spread = (x, width) => {
      left = Math.min(left, x - width / 2);
      right = Math.max(right, x + width / 2);
    };
    for (const box of this.boxes) spread(box.x, box.width);
    for (const group of this.groups.values()) {
      group.y0 = this.tops[group.lo] - group.top;
      group.y1 = this.bottoms[group.hi] + group.bottom;
      spread(group.x, group.width);
    }
    for (const arrow of this.arrows) this.route(arrow);
    const frames = [...this.groups.values()];
    const first = least(frames, g => g.y0, this.tops[0] ?? 0);
    const last = most(frames, g => g.y1, this.bottoms[this.layers - 1] ?? 0);
    this.bounds = { x0: Number.isFinite(left) ? left : 0, x1: Number.isFinite(right) ? right : 0, y0: first, y1: last };
  }

  route(arrow) {
    const from = this.boxes[arrow.from];
    const to = this.boxes[arrow.to];
    arrow.points = [from.x, from.y + from.height / 2];
    for (const lane of arrow.lanes ?? []) arrow.points.push(lane.x, this.tops[lane.lo], lane.x, this.bottoms[lane.hi]);
    arrow.points.push(to.x, to.y - to.height / 2);
    arrow.x0 = arrow.y0 = Infinity;
    arrow.x1 = arrow.y1 = -Infinity;
    for (let i = 0; i < arrow.points.length; i += 2) {
      arrow.x0 = Math.min(arrow.x0, arrow.points[i]);
      arrow.x1 = Math.max(arrow.x1, arrow.points[i]);
      arrow.y0 = Math.min(arrow.y0, arrow.points[i + 1]);
      arrow.y1 = Math.max(arrow.y1, arrow.points[i + 1]);
    }
  }
}

const between = (a, b) => (a.lane || b.lane ? BETWEEN_LANES : BETWEEN_BOXES);

/** The gap with room for an item that is nearest to where it wants to be; the outermost two have room for all. */
function nearestGap(gaps, item, need) {
  let low = 0;
  for (let high = gaps.length - 1; low < high;) {
    const middle = (low + high) >> 1;
    if (gaps[middle].to < item.wanted) low = middle + 1;
    else high = middle;
  }
  let best = null;
  let way = Infinity;
  const look = gap => {
    const near = Math.min(Math.max(item.wanted, gap.from + item.width / 2), gap.to - item.width / 2);
    const distance = Math.abs(near - item.wanted);
    if (gap.to - gap.from >= gap.used + need && distance < way) {
      way = distance;
      best = gap;
    }
  };
  for (let i = low; i < gaps.length && (!best || gaps[i].from - item.wanted < way); ++i) look(gaps[i]);
  for (let i = low - 1; i >= 0 && (!best || item.wanted - gaps[i].to < way); --i) look(gaps[i]);
  return best;
}

/** Places items of one layer beside those that already stand there, as near as can be to where they want to be. */
function settle(fresh, active, move) {
  fresh.sort((a, b) => a.wanted - b.wanted);
  const gaps = [{ from: -Infinity, to: Infinity, items: [], used: 0 }];
  let end = -Infinity; // of all that stands there so far: wide ones can hide narrow ones
  for (const item of active) {
    const last = gaps[gaps.length - 1];
    last.to = Math.max(end, item.x - item.width / 2 - BETWEEN_BOXES / 2);
    end = Math.max(end, item.x + item.width / 2 + BETWEEN_BOXES / 2);
    gaps.push({ from: end, to: Infinity, items: [], used: 0 });
  }
  for (const item of fresh) {
    const need = item.width + (item.lane ? BETWEEN_LANES : BETWEEN_BOXES);
    const best = nearestGap(gaps, item, need);
    best.items.push(item);
    best.used += need;
  }
  for (const gap of gaps) {
    if (gap.items.length) spreadOut(gap, move);
  }
}

/** Least squares under an order: neighbours that want to pass each other are merged into blocks. */
function spreadOut({ items, from, to }, move) {
  const offsets = [0];
  for (let i = 1; i < items.length; ++i) {
    offsets.push(offsets[i - 1] + (items[i - 1].width + items[i].width) / 2 + between(items[i - 1], items[i]));
  }
  const blocks = [];
  items.forEach((item, i) => {
    blocks.push({ sum: item.wanted - offsets[i], count: 1 });
    while (blocks.length > 1) {
      const last = blocks[blocks.length - 1];
      const before = blocks[blocks.length - 2];
      if (before.sum / before.count <= last.sum / last.count) break;
      before.sum += last.sum;
      before.count += last.count;
      blocks.pop();
    }
  });
  const lowest = from + items[0].width / 2;
  const highest = to - items[items.length - 1].width / 2 - offsets[items.length - 1];
  let i = 0;
  for (const block of blocks) {
    const value = Math.max(lowest, Math.min(highest, block.sum / block.count));
    for (let k = 0; k < block.count; ++k, ++i) move(items[i], value + offsets[i]);
  }
}
