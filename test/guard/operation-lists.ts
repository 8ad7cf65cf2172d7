import { filesBelow, read, type DeclaredRpc } from './tree.ts'

/** An operation in the list of its service; its section is the comment above it. */
export interface ListedOperation {
  name: string
  /** the folder of its file below src; undefined in a service with one folder for operations */
  folder: string | undefined
  section: string
}

/** Reads the sections of the lists in `operations.ts`; each section begins with a comment. */
export function listedIn(text: string): ListedOperation[] {
  const imports = text.matchAll(/^import \{ (\w+) \} from '\.\/([\w-]+\/)?[\w-]+\.ts'$/gm)
  const folders = new Map(Array.from(imports, ([, name, folder]) => [name!, folder?.slice(0, -1)]))
  const bodies = text.matchAll(/^export const (?:operations|\w+Operations) = \{\n([\s\S]*?)^\} satisfies/gm)
  let section = ''
  const lines = Array.from(bodies, ([, body]) => body!.split('\n')).flat()
  return lines.flatMap((line) => {
    section = /^ {2}\/\/ (.+)$/.exec(line)?.[1] ?? section
    const name = /^ {2}(\w+),$/.exec(line)?.[1]
    return name === undefined ? [] : [{ name, folder: folders.get(name), section }]
  })
}

const documents = filesBelow('services/gateway/openapi').map(read).join('\n')
const namedBy = (pattern: RegExp) => new Set(Array.from(documents.matchAll(pattern), ([, rpc]) => rpc!))
const routes = namedBy(/x-rpc: lettergate\.\w+\.v1\.(\w+\/\w+)/g)

/** The method of each operation with preconditions, and their rpcs. */
export const preconditions = Array.from(
  documents.matchAll(/^ {2}(\w+):\n((?: {4}.*\n|\n)+)/gm),
  ([, method, operation]) => ({
    method: method!,
    rpcs: Array.from(operation!.matchAll(/^ +- lettergate\.\w+\.v1\.(\w+\/\w+)/gm), ([, rpc]) => rpc!),
  }),
).filter(({ rpcs }) => rpcs.length > 0)

/** The caller of an rpc that has no route in the OpenAPI documents; undefined for an rpc with a route. */
export function askedBy({ service, name, callers }: Omit<DeclaredRpc, 'proto' | 'localName'>): string | undefined {
  const rpc = `${service}/${name}`
  if (routes.has(rpc)) return undefined
  const methods = preconditions.flatMap(({ method, rpcs }) => (rpcs.includes(rpc) ? [method] : []))
  if (methods.length > 0) return `asked before a ${methods.every((one) => one === 'delete') ? 'deletion' : 'change'}`
  const others = callers.filter((caller) => caller !== 'gateway').toSorted()
  return `called by ${others.length === 0 ? 'the gateway itself' : others.join(' and ')}`
}

/** The expected section of an operation: its folder in words, and its caller if no route calls it. */
export const sectionFor = ({ folder }: ListedOperation, asked: string | undefined): string =>
  [folder?.replaceAll('-', ' '), asked].filter((part) => part !== undefined).join(', ')
