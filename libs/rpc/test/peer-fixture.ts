import { create } from '@bufbuild/protobuf'
import { ChannelCredentials, Client as GrpcClient, Metadata, status, type ServiceError } from '@grpc/grpc-js'
import { afterAll, afterEach } from '@jest/globals'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { ContactsConsent } from '@lettergate/contracts/contacts/v1/contacts'
import { createService, systemCaller, type CallScope, type Service, type TlsFiles } from '@lettergate/service'
import { createAuthority, type Authority } from '@lettergate/stage/certificates'
import { definitionOf } from '../src/definition.ts'
import { connect, serveRpc, type Client, type Operations } from '../src/rpc.ts'

/** A directory for certificates, with the authority of the services and a foreign one. */
export const directory = mkdtempSync(join(tmpdir(), 'lettergate-peers-'))
export const authority = authorityIn('own')
export const foreign = authorityIn('foreign')

function authorityIn(name: string): Authority {
  const created = createAuthority(join(directory, name))
  return { issue: async (service, options) => (await created).issue(service, options) }
}

const services: Service[] = []
afterAll(() => rmSync(directory, { recursive: true, force: true }))
afterEach(async () => {
  for (const service of services.splice(0).toReversed()) await service.stop()
})

export function serviceOf(name: string, tls?: TlsFiles): Service {
  const service = createService(name, { logLevel: 'silent', tls: tls && { ...tls, reloadEveryMs: 50 } })
  services.push(service)
  return service
}

/** A server with one rpc for the gateway and one stream for campaigns-delivery. `asked` holds the calls that it ran. */
export async function server(tls: TlsFiles | undefined, name = 'contacts-consent', port = 0) {
  const service = serviceOf(name, tls)
  const asked: string[] = []
  const operations = {
    lookupContact: async (_: CallScope, { email }: { email: string }) => {
      asked.push(email.slice(0, 20))
      return { contact: { email: email.slice(0, 20) } }
    },
    async *streamAudienceVerdicts() {
      asked.push('stream')
      yield { verdicts: [{ contactId: '1' }] }
    },
  } as unknown as Operations<typeof ContactsConsent, CallScope>
  const served = await service.use(serveRpc(service, { port, rpc: ContactsConsent, operations, ctxOf: (call) => call }))
  return { service, asked, port: served.port, stop: () => service.stop() }
}

export async function clientOf(name: string, port: number, tls?: TlsFiles): Promise<Client<typeof ContactsConsent>> {
  const service = serviceOf(name, tls)
  return service.use(connect(service, `127.0.0.1:${port}`, ContactsConsent, { timeoutMs: 20_000 }))
}

export const scope = (forMs = 20_000): CallScope => ({
  caller: systemCaller('test', 'corr-12345678'),
  deadline: Date.now() + forMs,
  signal: new AbortController().signal,
})
/** A gRPC client without our library. */
export function rawClient(port: number, files?: { ca: string; cert?: string; key?: string }): GrpcClient {
  const bytes = (path?: string) => (path === undefined ? null : readFileSync(path))
  const credentials = files
    ? ChannelCredentials.createSsl(bytes(files.ca), bytes(files.key), bytes(files.cert))
    : ChannelCredentials.createInsecure()
  return new GrpcClient(`127.0.0.1:${port}`, credentials, { 'grpc.ssl_target_name_override': 'contacts-consent' })
}
export const lookup = definitionOf<{ email: string }>(ContactsConsent.method.lookupContact)

export const rawLookup = (client: GrpcClient, metadata = new Metadata()): Promise<number> =>
  new Promise((resolve) => {
    const request = create(ContactsConsent.method.lookupContact.input, { email: 'ada' })
    const { path, requestSerialize, responseDeserialize } = lookup
    const ended = (error: ServiceError | null) => {
      client.close()
      resolve(error?.code ?? status.OK)
    }
    const deadline = Date.now() + 20_000
    client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, metadata, { deadline }, ended)
  })

/** Files as Kubernetes mounts a secret: links to a folder behind a link, which is replaced in one step. */
export function mounted(name: string) {
  const at = mkdtempSync(join(directory, `${name}-`))
  let version = 0
  const files = { ca: join(at, 'ca.crt'), cert: join(at, 'tls.crt'), key: join(at, 'tls.key') }
  for (const path of Object.values(files)) symlinkSync(join('..data', basename(path)), path)
  return {
    files,
    put(from: TlsFiles) {
      const folder = `..${(version += 1)}`
      mkdirSync(join(at, folder))
      for (const part of ['ca', 'cert', 'key'] as const) cpSync(from[part], join(at, folder, basename(files[part])))
      symlinkSync(folder, join(at, '..new'))
      renameSync(join(at, '..new'), join(at, '..data'))
    },
  }
}
