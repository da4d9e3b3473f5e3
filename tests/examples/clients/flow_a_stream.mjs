// Reading a Flow A answer: the event stream, and delta encoding v1, without dependencies.

// a chunk may end inside a character or between CR and LF
export async function* events(chunks) {
  const utf8 = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    rest += utf8.decode(chunk, { stream: true })
    const whole = rest.endsWith('\r') ? rest.slice(0, -1) : rest
    const blocks = blocksOf(whole)
    rest = blocks.pop() + rest.slice(whole.length)
    for (const block of blocks) yield parseEvent(block)
  }
  // only now is it sure that no LF belongs to the CR that came last
  for (const block of blocksOf(rest).slice(0, -1)) yield parseEvent(block)
}

const blocksOf = (text) => text.replace(/\r\n?/g, '\n').split('\n\n')

function parseEvent(block) {
  const event = { name: 'message', data: '' }
  const data = []
  for (const line of block.split('\n')) {
    const [, field, value] = /^([^:]*):? ?(.*)$/s.exec(line)
    if (field === 'event') event.name = value
    if (field === 'data') data.push(value)
  }
  return { ...event, data: data.join('\n') }
}

// one value per channel; c, p and o are inherited from the delta before
export class Deltas {
  values = {}
  inherited = { c: 0, p: '', o: 'add' }

  push(delta) {
    const { c, p, o } = { ...this.inherited, ...delta }
    this.inherited = { c, p, o }
    apply(this.values, [String(c), ...keys(p)], o, delta.v)
    return this.values[c]
  }
}

const keys = (path) => (path === '' ? [] : path.replace(/^\//, '').split('/').map(key))
const key = (part) =>
  /^(0|[1-9][0-9]*)$/.test(part) ? Number(part) : part.replaceAll('~1', '/').replaceAll('~0', '~')

function apply(root, path, op, value) {
  let node = root
  path.slice(0, -1).forEach((step, i) => {
    check(node, step)
    node[step] ??= typeof path[i + 1] === 'number' ? [] : {}
    node = node[step]
  })
  const last = path.at(-1)
  check(node, last)
  if (!Object.hasOwn(operations, op)) throw new Error(`unknown delta operation ${JSON.stringify(op)}`)
  operations[op](node, last, value)
}

function check(node, step) {
  const fits = Array.isArray(node) ? typeof step === 'number' : typeof node === 'object'
  if (!fits) throw new Error(`a delta's path leads to ${step} inside ${JSON.stringify(node)}`)
}

const operations = {
  add: (node, key, value) => (Array.isArray(node) ? node.splice(key, 0, value) : (node[key] = value)),
  replace: (node, key, value) => (node[key] = value),
  remove: (node, key) => (Array.isArray(node) ? node.splice(key, 1) : delete node[key]),
  append: (node, key, value) => (node[key] = appended(node[key], value)),
  truncate: (node, key, length) => {
    const old = node[key]
    if (typeof old === 'string') node[key] = old.slice(0, Math.max(length, 0))
    if (Array.isArray(old)) node[key] = old.slice(0, length)
  },
  patch: (node, key, entries) => {
    const inner = { '': node[key] } // the paths of entries start at the patched value; nothing is inherited
    for (const { p, o, v } of entries) apply(inner, ['', ...keys(p)], o, v)
    node[key] = inner['']
  },
}

function appended(old, value) {
  if (typeof old === 'string') return old + value // two halves of a surrogate pair join by themselves
  if (Array.isArray(old)) return old.concat(Array.isArray(value) ? value : [value])
  const objects = [old, value].every((each) => each && typeof each === 'object' && !Array.isArray(each))
  return objects ? { ...old, ...value } : value
}
