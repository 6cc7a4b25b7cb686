// The graph as it was recorded, and what of it is seen when some modules are folded.

const MANY_BOXES = 250; // more than fit on a screen: modules begin folded
const MANY_USES = 3; // a leaf with so many users is drawn once beside each

class Model {
  constructor(data) {
    this.title = data.title;
    this.keptBytes = data.kept_bytes;
    this.nodes = data.nodes;
    this.edges = data.edges;
    this.modules = data.modules.map((m, id) => ({ ...m, id, parent: m.parent ?? -1, modules: [], nodes: 0, all: 0 }));
    this.folded = new Set();
    for (const m of this.modules) {
      const outer = this.modules[m.parent];
      if (outer) outer.modules.push(m.id);
      m.path = outer ? `${outer.path}.${m.name}` : m.name;
      m.depth = outer ? outer.depth + 1 : 0;
    }
    for (const node of this.nodes) {
      node.module ??= -1;
      if (node.module >= 0) ++this.modules[node.module].nodes;
      for (let m = this.modules[node.module]; m; m = this.modules[m.parent]) ++m.all;
    }
    this.structure = JSON.stringify([this.edges, this.modules.map(m => m.path), this.nodes.map(n => n.name + n.module)]);
  }

  /** Takes over what may change from one step to the next; false where the graph is another one. */
  update(other) {
    if (other.structure !== this.structure) return false;
    this.nodes = other.nodes;
    this.keptBytes = other.keptBytes;
    this.title = other.title;
    return true;
  }

  /** Folds so much that what is seen stays within a bound, the outer modules open first. */
  foldToFit(bound = MANY_BOXES) {
    this.folded = new Set(this.modules.map(m => m.id));
    const waiting = this.modules.filter(m => m.parent < 0).map(m => m.id);
    let seen = waiting.length + this.nodes.filter(n => n.module < 0).length;
    for (let i = 0; i < waiting.length; ++i) {
      const m = this.modules[waiting[i]];
      const more = m.nodes + m.modules.length - 1;
      if (seen + more > bound) continue;
      seen += more;
      this.folded.delete(m.id);
      waiting.push(...m.modules);
    }
  }

  /** Folds the same modules as another model of the same program. */
  foldLike(other) {
    const paths = new Set([...other.folded].map(id => other.modules[id].path));
    this.folded = new Set(this.modules.filter(m => paths.has(m.path)).map(m => m.id));
  }

  /** The outermost folded module around a module, or -1. */
  foldedAround(module) {
    let found = -1;
    for (let m = this.modules[module]; m; m = this.modules[m.parent]) if (this.folded.has(m.id)) found = m.id;
    return found;
  }

  reveal(node) {
    for (let m = this.modules[this.nodes[node].module]; m; m = this.modules[m.parent]) this.folded.delete(m.id);
  }

  text(node) {
    const n = this.nodes[node];
    return [n.name, n.shape ?? '', this.modules[n.module]?.path ?? '', ...(n.places ?? [])].join('\n').toLowerCase();
  }

  /** Numbers of the nodes that a word is found in. */
  search(word) {
    const wanted = word.trim().toLowerCase();
    if (!wanted) return [];
    return this.nodes.map((_, i) => i).filter(i => this.text(i).includes(wanted));
  }

  /** What is seen: boxes, arrows between them, and the open modules as groups. */
  view() {
    const boxes = [];
    const boxOf = new Map(); // node number, or 'm' + module
    const groups = new Map();
    const group = module => {
      if (module < 0) return -1;
      if (!groups.has(module)) groups.set(module, { module, parent: -1 });
      const made = groups.get(module);
      made.parent = group(this.modules[module].parent);
      return module;
    };
    const add = (key, box) => {
      if (!boxOf.has(key)) {
        boxOf.set(key, boxes.length);
        boxes.push(box);
      }
      return boxOf.get(key);
    };
    const shown = node => {
      const module = this.foldedAround(this.nodes[node].module);
      if (module < 0) return add(node, { kind: this.nodes[node].kind, node, group: group(this.nodes[node].module) });
      return add(`m${module}`, { kind: 'folded', module, group: group(this.modules[module].parent) });
    };
    const users = new Map(); // of each leaf, in order
    for (const [from, to] of this.edges) {
      if (this.nodes[from].kind !== 'leaf' || this.foldedAround(this.nodes[from].module) >= 0) continue;
      if (!users.has(from)) users.set(from, new Set());
      users.get(from).add(shown(to));
    }
    const arrows = new Map();
    this.nodes.forEach((_, i) => { if (!(users.get(i)?.size >= MANY_USES)) shown(i); });
    for (const [from, to, count] of this.edges) {
      const b = shown(to);
      const repeated = users.get(from)?.size >= MANY_USES;
      const a = repeated
        ? add(`${from}/${b}`, { kind: 'leaf', node: from, repeated, group: boxes[b].group })
        : shown(from);
      if (a === b) continue;
      const key = a * 1e7 + b;
      const arrow = arrows.get(key);
      if (arrow) arrow.count += count;
      else arrows.set(key, { from: a, to: b, count });
    }
    return { boxes, arrows: [...arrows.values()], groups };
  }
}

const sizeText = bytes => {
  let value = bytes;
  for (const unit of ['bytes', 'KB', 'MB', 'GB']) {
    if (value < 1000 || unit === 'GB') return `${unit === 'bytes' ? value : value.toPrecision(3)} ${unit}`;
    value /= 1000;
  }
  return '';
};
const normText = norm => (typeof norm === 'number' ? norm.toPrecision(4).replace(/\.?0+(e|$)/, '$1') : String(norm));
const isBad = norm => typeof norm === 'string';
