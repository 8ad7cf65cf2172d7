import { readFileSync, readdirSync, existsSync } from 'node:fs'
import { join, relative } from 'node:path'

export const root = new URL('../../', import.meta.url).pathname

const skipped = new Set(['node_modules', 'gen', 'dist', '.local', '.git', 'coverage'])

/** Every file below a folder of the project, as a path from its root, without generated code and installed packages. */
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

/** Files that hold TypeScript, pages of the console included. */
export const isTypeScript = (path: string): boolean => /\.tsx?$/.test(path)

const isTest = (path: string) => path.includes('/test/') || path.endsWith('.test.ts')

/** TypeScript that runs in production below a folder. */
export const sourcesOf = (folder: string): string[] =>
  filesBelow(folder).filter((path) => isTypeScript(path) && path.includes('/src/') && !isTest(path))

export const testsOf = (folder: string): string[] =>
  filesBelow(folder).filter((path) => isTypeScript(path) && isTest(path))

/** Services with a process; the console is only a page. */
export const services = foldersIn('services').filter((name) =>
  existsSync(join(root, 'services', name, 'src/service.ts')),
)

/** Programs outside of the services that call rpcs with a certificate of their own: the name in it → their folder. */
export const callingPrograms: Record<string, string> = { reconstruct: 'deploy/reconstruct' }

/** CreateSendingDomain → create-sending-domain */
export const kebab = (name: string): string => name.replace(/(?<!^)[A-Z]/g, (capital) => `-${capital}`).toLowerCase()

export interface DeclaredRpc {
  proto: string
  service: string
  name: string
  localName: string
  /** the deployables that may call it, from its proto */
  callers: readonly string[]
}

/** Every service of the protos with its body, except the shared stream, which libs/rpc implements at both ends. */
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

/** The deployable that implements each proto service. */
export const answeredBy: Record<string, string> = Object.fromEntries(
  protoServices.flatMap(({ service, body }) => optionsIn(body, 'answered_by').map((name) => [service, name])),
)

/** Proto services that every service implements in addition to its own, by the folder of their operations. */
export const answeredByAll: Record<string, string> = { DeadLetters: 'libs/events' }

/** The folder of the operations of a proto service. */
export const folderOf = (service: string): string | undefined =>
  answeredByAll[service] ?? (answeredBy[service] === undefined ? undefined : `services/${answeredBy[service]}`)

/** Every rpc of those services. */
export function rpcs(): DeclaredRpc[] {
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

/** The tables that the migrations of a service create, as `schema.table`; database.test.ts compares them with a real database. */
export function tablesOf(service: string): string[] {
  const schema = /schema: '(\w+)'/.exec(read(`services/${service}/src/db/migrations.ts`))![1]!
  const sources = filesBelow(`services/${service}/src/db/migrations`).map(read).join('\n')
  const dropped = new Set(Array.from(sources.matchAll(/drop table (\w+)/g), ([, name]) => name))
  const made = Array.from(sources.matchAll(/create table (?:if not exists )?(\w+)/g), ([, name]) => name!)
  const own = made.filter((name) => !dropped.has(name))
  const eventTables = [...read('libs/events/src/ddl.ts').matchAll(/create table (\w+)/g)].map(([, name]) => name!)
  const uncommitted = sources.includes('neverCommitted()') ? ['never_committed'] : []
  return [...own, ...eventTables, ...uncommitted, 'mikro_orm_migrations'].map((name) => `${schema}.${name}`)
}
