import { dirname, join } from 'node:path'
import { filesBelow, isTypeScript, read, testsOf } from './tree.ts'

const roots = ['libs', 'services', 'clients', 'deploy', 'test', 'tools']

/** Name of a package of the project → the targets of its `exports`. */
const packages = new Map(
  roots
    .flatMap(filesBelow)
    .filter((path) => path.endsWith('/package.json'))
    .map((path) => {
      const { name, exports = {} } = JSON.parse(read(path)) as { name: string; exports?: Record<string, unknown> }
      return [name, { folder: dirname(path), exports }] as const
    }),
)

/** The file of an import of a package of the project: `@lettergate/rpc` or `@lettergate/rpc/client`; undefined for generated code. */
function fileOfPackage(specifier: string): string | undefined {
  const [scope, name, ...rest] = specifier.split('/')
  const found = packages.get(`${scope}/${name}`)
  const exported = found?.exports[['.', ...rest].join('/')] ?? found?.exports['./*']
  return found && typeof exported === 'string' ? join(found.folder, exported.replace('*', rest.join('/'))) : undefined
}

/** `import … from`, `export … from`, `import '…'`, `import('…')`, and the same for types only. */
const importPattern = /\b(?:from|import)\s*\(?\s*'([^']+)'/g

/** Every TypeScript file of the project → the files of the project that it imports, types included. */
export function importsOfFiles(): Map<string, string[]> {
  const files = roots.flatMap(filesBelow).filter(isTypeScript)
  const known = new Set(files)
  return new Map(
    files.map((path) => {
      const named = [...read(path).matchAll(importPattern)].map(([, specifier]) =>
        specifier!.startsWith('.') ? join(dirname(path), specifier!) : fileOfPackage(specifier!),
      )
      return [path, [...new Set(named.filter((file) => file !== undefined && known.has(file)))] as string[]]
    }),
  )
}

/** The cycles in a graph: for each, all nodes that reach each other, sorted by name. */
export function cyclesIn(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const number = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []
  const circles: string[][] = []
  // Tarjan's algorithm: nodes stay on the stack until the first node of their cycle is complete.
  const visit = (node: string): void => {
    number.set(node, number.size)
    lowest.set(node, number.get(node)!)
    open.push(node)
    const targets = graph.get(node) ?? []
    for (const target of targets) {
      if (!number.has(target)) visit(target)
      if (open.includes(target)) lowest.set(node, Math.min(lowest.get(node)!, lowest.get(target)!))
    }
    if (lowest.get(node) !== number.get(node)) return
    const circle = open.splice(open.indexOf(node))
    if (circle.length > 1 || targets.includes(node)) circles.push(circle.toSorted())
  }
  for (const node of graph.keys()) if (!number.has(node)) visit(node)
  return circles.toSorted(([first], [other]) => (first! < other! ? -1 : 1))
}

/** For each folder directly below `src` of a package, the other folders that its files import, without `*.test.ts` files. */
export function importsOfFolders(imports: ReadonlyMap<string, readonly string[]>, src: string): Map<string, string[]> {
  const tests = new Set(testsOf(src))
  const folderOf = (path: string) =>
    path.startsWith(`${src}/`) ? /^([^/]+)\//.exec(path.slice(src.length + 1))?.[1] : undefined
  const edges = [...imports]
    .filter(([path]) => !tests.has(path))
    .flatMap(([path, targets]) => targets.map((target) => [folderOf(path), folderOf(target)] as const))
    .filter((edge): edge is readonly [string, string] => !edge.includes(undefined) && edge[0] !== edge[1])
  return new Map(
    [...Map.groupBy(edges, ([from]) => from)].map(([from, found]) => [from, [...new Set(found.map(([, to]) => to))]]),
  )
}
