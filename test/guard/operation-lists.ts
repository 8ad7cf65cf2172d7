import { filesBelow, read, type Rpc } from './tree.ts'

/** An operation as the list of its service shows it: in the section under the comment before it. */
export interface Listed {
  name: string
  /** the folder below src that its file is in; undefined where operations have one folder */
  folder: string | undefined
  section: string
}

/** Reads `operations.ts`: sections of operations, each under a comment. */
export function listedIn(text: string): Listed[] {
  const imports = text.matchAll(/^import \{ (\w+) \} from '\.\/([\w-]+\/)?[\w-]+\.ts'$/gm)
  const folders = new Map(Array.from(imports, ([, name, folder]) => [name!, folder?.slice(0, -1)]))
  const [, body = ''] = /^export const operations = \{\n([\s\S]*?)^\} satisfies/m.exec(text) ?? []
  let section = ''
  return body.split('\n').flatMap((line) => {
    section = /^ {2}\/\/ (.+)$/.exec(line)?.[1] ?? section
    const name = /^ {2}(\w+),$/.exec(line)?.[1]
    return name === undefined ? [] : [{ name, folder: folders.get(name), section }]
  })
}

const documents = filesBelow('services/gateway/openapi').map(read).join('\n')
const namedBy = (pattern: RegExp) => new Set(Array.from(documents.matchAll(pattern), ([, rpc]) => rpc!))
const routes = namedBy(/x-rpc: lettergate\.\w+\.v1\.(\w+\/\w+)/g)
const preconditions = namedBy(/^ +- lettergate\.\w+\.v1\.(\w+\/\w+)/gm)

/** Who asks for an rpc to which no route of the OpenAPI documents leads; undefined when one does. */
export function askedBy({ service, name, callers }: Omit<Rpc, 'proto' | 'localName'>): string | undefined {
  const rpc = `${service}/${name}`
  if (routes.has(rpc)) return undefined
  if (preconditions.has(rpc)) return 'asked before a deletion'
  const others = callers.filter((caller) => caller !== 'gateway').toSorted()
  return `asked by ${others.length === 0 ? 'the gateway itself' : others.join(' and ')}`
}

/** The section that an operation belongs into: its folder in words, and who asks where that is not a route. */
export const sectionFor = ({ folder }: Listed, asked: string | undefined): string =>
  [folder?.replaceAll('-', ' '), asked].filter((part) => part !== undefined).join(', ')
