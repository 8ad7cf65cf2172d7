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
}

/** Which deployable answers a proto service. */
export const answeredBy: Record<string, string> = {
  Identity: 'gateway',
  ContactsConsent: 'contacts-consent',
  SendingInfra: 'sending-infra',
  CampaignsDelivery: 'campaigns-delivery',
  Imports: 'imports',
  Automations: 'automations',
  WebhookIntake: 'webhook-intake',
}

/** Every rpc that the protos declare, but for the stream below them all: both ends of that are libs/rpc. */
export function rpcs(): Rpc[] {
  return filesBelow('proto')
    .filter((path) => path.endsWith('.proto') && !path.startsWith('proto/lettergate/rpc/'))
    .flatMap((proto) =>
      [...read(proto).matchAll(/^service (\w+) \{([^}]*)/gm)].flatMap(([, service, body]) =>
        [...body!.matchAll(/^\s*rpc (\w+)\(/gm)].map(([, name]) => ({
          proto,
          service: service!,
          name: name!,
          localName: name![0]!.toLowerCase() + name!.slice(1),
        })),
      ),
    )
}
