import { readFileSync, readdirSync, existsSync } from 'node:fs'
import { join, relative } from 'node:path'

export const root = new URL('../../', import.meta.url).pathname

const skipped = new Set(['node_modules', 'gen', 'dist', '.local', '.git', 'coverage'])

/** Every file below a folder of the project, as paths from its root; generated code and what is installed left out. */
export function filesBelow(folder: string): string[] {
  const start = join(root, folder)
  if (!existsSync(start)) return []
  return readdirSync(start, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !path.split('/').some((part) => skipped.has(part)))
    .sort()
}

export const read = (path: string): string => readFileSync(join(root, path), 'utf8')

/** Folders directly below one. */
export const foldersIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)

const isTest = (path: string) => path.includes('/test/') || path.endsWith('.test.ts')

/** TypeScript that runs in production below a folder. */
export const sourcesOf = (folder: string): string[] =>
  filesBelow(folder).filter((path) => path.endsWith('.ts') && path.includes('/src/') && !isTest(path))

export const testsOf = (folder: string): string[] =>
  filesBelow(folder).filter((path) => path.endsWith('.ts') && isTest(path))

/** Services that have code to run; the console is a page. */
export const services = foldersIn('services').filter((name) =>
  existsSync(join(root, 'services', name, 'src/service.ts')),
)

/** CreateSendingDomain → create-sending-domain */
export const kebab = (name: string): string => name.replace(/(?<!^)[A-Z]/g, (letter) => `-${letter}`).toLowerCase()

export interface Rpc {
  proto: string
  service: string
  name: string
  localName: string
  /** the deployables that its proto lets call it */
  callers: readonly string[]
}

/** Every service that the protos declare with its body, but for the stream below them all: both ends of that are libs/rpc. */
const protoServices = filesBelow('proto')
  .filter((path) => path.endsWith('.proto') && !path.startsWith('proto/lettergate/rpc/'))
  .flatMap((proto) =>
    [...read(proto).matchAll(/^service (\w+) \{\n([\s\S]*?)^\}/gm)].map(([, service, body]) => ({
      proto,
      service: service!,
      body: body!,
    })),
  )

const optionsIn = (text: string, option: string): string[] =>
  [...text.matchAll(new RegExp(`option \\(lettergate\\.rpc\\.v1\\.${option}\\) = "([^"]*)";`, 'g'))].map(
    ([, value]) => value!,
  )

/** Which deployable answers a proto service. */
export const answeredBy: Record<string, string> = Object.fromEntries(
  protoServices.flatMap(({ service, body }) => optionsIn(body, 'answered_by').map((name) => [service, name])),
)

/** Proto services that every service answers beside its own, by the folder of their operations. */
export const answeredByAll: Record<string, string> = { DeadLetters: 'libs/events' }

/** Where the operations of a proto service are. */
export const folderOf = (service: string): string | undefined =>
  answeredByAll[service] ?? (answeredBy[service] === undefined ? undefined : `services/${answeredBy[service]}`)

/** Every rpc of those services. */
export function rpcs(): Rpc[] {
  return protoServices.flatMap(({ proto, service, body }) =>
    [...body.matchAll(/^  rpc (\w+)\([^;{]*(?:;|\{([\s\S]*?)^  \})/gm)].map(([, name, options = '']) => ({
      proto,
      service,
      name: name!,
      localName: name![0]!.toLowerCase() + name!.slice(1),
      callers: optionsIn(options, 'callers'),
    })),
  )
}

/** The tables that the migrations of a service make, as `schema.table`; the guard of the database compares them with a real one. */
export function tablesOf(service: string): string[] {
  const schema = /schema: '(\w+)'/.exec(read(`services/${service}/src/db/migrations.ts`))![1]!
  const sources = filesBelow(`services/${service}/src/db/migrations`).map(read).join('\n')
  const dropped = new Set(Array.from(sources.matchAll(/drop table (\w+)/g), ([, name]) => name))
  const made = Array.from(sources.matchAll(/create table (?:if not exists )?(\w+)/g), ([, name]) => name!)
  const own = made.filter((name) => !dropped.has(name))
  const eventTables = [...read('libs/events/src/ddl.ts').matchAll(/create table (\w+)/g)].map(([, name]) => name!)
  return [...own, ...eventTables, 'mikro_orm_migrations'].map((name) => `${schema}.${name}`)
}
