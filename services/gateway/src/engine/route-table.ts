/** Which operation a method and path mean. Literal segments win over templated ones, whatever the order of declaration. */

export interface Match<T> {
  /** the template, for logs and metrics, which never see a path */
  template: string
  params: Record<string, string>
  /** undefined: the path exists, but not with this method */
  route: T | undefined
  /** every method of the path, for the Allow header */
  allow: readonly string[]
}

interface RouteNode<T> {
  literals: Map<string, RouteNode<T>>
  templated: RouteNode<T> | undefined
  leaf: { template: string; names: string[]; methods: Map<string, T>; allow: string[] } | undefined
}

const emptyNode = <T>(): RouteNode<T> => ({ literals: new Map(), templated: undefined, leaf: undefined })
const nameOf = (segment: string) => /^\{([A-Za-z0-9_]+)\}$/.exec(segment)?.[1]

export interface RouteTable<T> {
  add(method: string, template: string, route: T): void
  /** `path` as it stands in the request line, without the query. HEAD means GET. */
  match(method: string, path: string): Match<T> | undefined
}

/** Throws, when filled, for a path declared twice with one method or under two templates. */
export function routeTable<T>(): RouteTable<T> {
  const root = emptyNode<T>()

  function add(method: string, template: string, route: T): void {
    let node = root
    const names: string[] = []
    for (const segment of template.slice(1).split('/')) {
      const name = nameOf(segment)
      if (name !== undefined) {
        names.push(name)
        node = node.templated ??= emptyNode<T>()
        continue
      }
      let next = node.literals.get(segment)
      if (!next) node.literals.set(segment, (next = emptyNode<T>()))
      node = next
    }
    node.leaf ??= { template, names, methods: new Map(), allow: [] }
    if (node.leaf.template !== template) throw new Error(`${template} and ${node.leaf.template} mean the same path`)
    if (node.leaf.methods.has(method)) throw new Error(`${method} ${template} is declared twice`)
    node.leaf.methods.set(method, route)
    node.leaf.allow = [...node.leaf.allow, ...(method === 'GET' ? ['GET', 'HEAD'] : [method])].sort()
  }

  function find(node: RouteNode<T>, segments: readonly string[], at: number, values: string[]): RouteNode<T>['leaf'] {
    if (at === segments.length) return node.leaf
    const segment = segments[at]!
    const literal = node.literals.get(segment)
    const found = literal && find(literal, segments, at + 1, values)
    if (found) return found
    if (!node.templated || segment === '') return undefined
    values.push(segment)
    const below = find(node.templated, segments, at + 1, values)
    if (!below) values.pop()
    return below
  }

  function match(method: string, path: string): Match<T> | undefined {
    const values: string[] = []
    const leaf = find(root, path.slice(1).split('/'), 0, values)
    if (!leaf) return undefined
    const params: Record<string, string> = {}
    for (const [index, name] of leaf.names.entries()) params[name] = decode(values[index]!)
    const { template, methods, allow } = leaf
    return { template, params, route: methods.get(method === 'HEAD' ? 'GET' : method), allow }
  }
  return { add, match }
}

/** Decodes percent sequences. A text with a broken one stays as it is: it then names nothing that exists. */
export function decode(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
