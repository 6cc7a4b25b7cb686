// What stands beside the graph: search results, modules, parameters, and what is known of a box.

const element = (name, text, attributes = {}) => {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  Object.assign(made, attributes);
  return made;
};
const byId = id => document.getElementById(id);
/** A graph is told from its result backwards; lists go with the data. */
const forwards = list => [...list].reverse();
const MOST_RESULTS = 200;
const KEPT_NORMS = 60;

/** Without the folders before the last. */
const shortPlace = place => place.replace(/^.*\/(?=[^/]*\/[^/]*$)/, '');

class Panels {
  /** actions: goTo(node), select(box), toggle(module) */
  constructor(actions) {
    this.actions = actions;
    this.history = new Map(); // gradient norms by parameter, of a live view
    this.results = [];
    this.current = -1;
  }

  showResults(model, nodes) {
    this.results = nodes.slice(0, MOST_RESULTS);
    this.current = -1;
    const items = this.results.map(node => {
      const { name, shape, module } = model.nodes[node];
      const item = element('li', name);
      item.append(' ', element('small', [shape, model.modules[module]?.path].filter(Boolean).join(' · ')));
      item.addEventListener('click', () => this.go(this.results.indexOf(node)));
      return item;
    });
    if (nodes.length > MOST_RESULTS) items.push(element('li', `… and ${nodes.length - MOST_RESULTS} more`));
    byId('found').replaceChildren(...items);
  }

  /** To a result, or the next one. */
  go(at = this.current + 1) {
    if (!this.results.length) return;
    this.current = (at + this.results.length) % this.results.length;
    [...byId('found').children].forEach((item, i) => item.classList.toggle('current', i === this.current));
    byId('found').children[this.current].scrollIntoView({ block: 'nearest' });
    this.actions.goTo(this.results[this.current]);
  }

  showModules(model) {
    byId('module-part').hidden = !model.modules.length;
    const line = module => {
      const item = element('li');
      item.style.paddingLeft = `${module.depth}rem`;
      const label = element('label');
      const check = element('input', undefined, { type: 'checkbox', checked: !model.folded.has(module.id) });
      check.addEventListener('change', () => this.actions.toggle(module.id));
      const type = module.type === module.name ? '' : `${module.type}, `;
      label.append(check, ` ${module.name} `, element('small', `${type}${module.all}`));
      label.title = `${module.path}: ${module.all} boxes; checked: open`;
      item.append(label);
      return item;
    };
    const lines = [];
    const add = module => {
      lines.push(line(module));
      if (!model.folded.has(module.id)) for (const inner of forwards(module.modules)) add(model.modules[inner]);
    };
    for (const module of forwards(model.modules)) if (module.parent < 0) add(module);
    byId('modules').replaceChildren(...lines);
  }

  showParameters(model, isLive) {
    const leaves = forwards(model.nodes.map((node, id) => ({ ...node, id })).filter(node => node.kind === 'leaf'));
    const norms = leaves.map(leaf => leaf.grad_norm).filter(norm => typeof norm === 'number' && norm > 0);
    const largest = Math.log(most(norms, norm => norm, 1e-300));
    const smallest = Math.log(least(norms, norm => norm, 1e300)) - 1;
    byId('parameter-part').hidden = !leaves.length;
    const rows = leaves.map(leaf => {
      const row = element('tr');
      const norm = element('td', leaf.grad_norm === undefined ? '–' : normText(leaf.grad_norm));
      norm.className = isBad(leaf.grad_norm) ? 'bad' : '';
      row.append(element('td', leaf.name, { title: leaf.name }), element('td', leaf.shape), norm);
      if (isLive) {
        norm.append(this.curve(`${leaf.id} ${leaf.name}`, leaf.grad_norm));
      } else if (leaf.grad_norm > 0) {
        const bar = element('span', undefined, { className: 'bar' });
        bar.style.width = `${100 * Math.max(0.02, (Math.log(leaf.grad_norm) - smallest) / (largest - smallest))}%`;
        norm.append(bar);
      }
      row.addEventListener('click', () => this.actions.goTo(leaf.id));
      return row;
    });
    byId('parameters').tBodies[0].replaceChildren(...rows);
  }

  /** The last norms of a parameter as a small curve, on a logarithmic scale. */
  curve(key, norm) {
    const kept = [...(this.history.get(key) ?? []), norm].slice(-KEPT_NORMS);
    this.history.set(key, kept);
    const heights = kept.map(n => (n > 0 ? Math.log(n) : NaN));
    const real = heights.filter(Number.isFinite);
    const low = least(real, h => h);
    const high = Math.max(most(real, h => h), low + 1e-6);
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    svg.setAttribute('viewBox', `0 0 ${KEPT_NORMS} 16`);
    svg.setAttribute('preserveAspectRatio', 'none');
    const line = document.createElementNS('http://www.w3.org/2000/svg', 'polyline');
    const points = heights.map((h, i) => [i, 15 - 14 * ((h - low) / (high - low))]).filter(([, y]) => Number.isFinite(y));
    line.setAttribute('points', points.map(([x, y]) => `${x},${y.toFixed(2)}`).join(' '));
    svg.append(line);
    return svg;
  }

  /** What is known of a box, or nothing for null. */
  showBox(model, box) {
    byId('more').hidden = !box;
    if (!box) return;
    const rows = [];
    const row = (name, value, title = '') => {
      if (value !== undefined && value !== '') rows.push(element('dt', name), element('dd', String(value), { title }));
    };
    let title = '';
    if (box.kind === 'folded') {
      const module = model.modules[box.module];
      title = module.path;
      row('class', module.type);
      row('boxes', module.all);
      row('', 'double-click to open it');
    } else {
      const node = model.nodes[box.node];
      title = node.name;
      row(node.kind === 'operation' ? 'gives' : 'shape', node.shape);
      if (node.module >= 0) row('module', model.modules[node.module].path);
      for (const place of node.places ?? []) row('called at', shortPlace(place), place);
      if (node.saved_bytes) row('keeps', `${sizeText(node.saved_bytes)}${node.freed ? ', freed by backward' : ''}`);
      if (node.grad_norm !== undefined) row('gradient norm', normText(node.grad_norm));
      for (const line of node.details ?? []) row('', line);
    }
    const list = element('dl');
    list.append(...rows);
    byId('more').replaceChildren(element('h2', title), list);
  }
}
