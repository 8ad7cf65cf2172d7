import { ChannelCredentials, ServerCredentials } from '@grpc/grpc-js'
import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { checkServerIdentity, createSecureContext, type PeerCertificate, type SecureContextOptions } from 'node:tls'
import { Gauge } from 'prom-client'
import { repeat, type Service, type TlsFiles } from '@lettergate/service'

/** Who this process is to other services: its certificate as the files hold it now. */
export interface Identity {
  /** The same for every port; a changed certificate counts for new connections. */
  readonly forServer: ServerCredentials
  /** For a connection that is opened now. */
  forClient(): ChannelCredentials
  /** Tells about every change until the answer is called. */
  onChange(listener: () => void): () => void
}

const reloadEveryMs = 10_000

/** The service that a certificate names: its only alternative name is the service's name as a DNS name. */
export function serviceNamed(alternativeNames: string | undefined): string | undefined {
  return /^DNS:([a-z][a-z0-9-]*)$/.exec(alternativeNames ?? '')?.[1]
}

/** grpc-js hands a changed context to the ports that it opened with these. */
class ReloadedCredentials extends ServerCredentials {
  constructor(context: SecureContextOptions) {
    super({ requestCert: true, rejectUnauthorized: true }, context)
  }
  renew(context: SecureContextOptions) {
    this.updateSecureContextOptions(context)
  }
  override _equals(other: ServerCredentials): boolean {
    return this === other
  }
}

const identities = new WeakMap<Service, Promise<Identity>>()

/** One for the process, undefined when it has no TLS files. Fails when they cannot be used or name another service. */
export function identityOf(service: Service): Promise<Identity> | undefined {
  const { tls } = service
  if (!tls) return undefined
  let identity = identities.get(service)
  if (!identity) identities.set(service, (identity = openIdentity(service, tls)))
  return identity
}

/** A file that changes is noticed by its content, so that it does not matter how it was replaced. */
async function openIdentity(service: Service, tls: TlsFiles): Promise<Identity> {
  const expiry = new Gauge({
    name: 'lettergate_tls_certificate_expires_timestamp_seconds',
    help: 'When the certificate of this service ends',
    registers: [service.metrics],
  })
  const listeners = new Set<() => void>()
  let context = checked(await readFiles())
  let client = channelCredentials(context)
  const server = new ReloadedCredentials(context)
  shown(context)

  async function readFiles() {
    const [ca, cert, key] = await Promise.all([readFile(tls.ca), readFile(tls.cert), readFile(tls.key)])
    return { ca, cert, key, minVersion: 'TLSv1.3' } as const
  }
  function checked(read: Awaited<ReturnType<typeof readFiles>>) {
    createSecureContext(read) // a key of another certificate throws
    const named = serviceNamed(new X509Certificate(read.cert).subjectAltName)
    if (named !== service.name)
      throw new Error(`${tls.cert} is the certificate of ${named ?? 'no service'}, and this is ${service.name}`)
    return read
  }
  function shown({ cert }: { cert: Buffer }) {
    expiry.set(new X509Certificate(cert).validToDate.getTime() / 1000)
  }

  async function reload() {
    try {
      const read = await readFiles()
      if ((['ca', 'cert', 'key'] as const).every((part) => read[part].equals(context[part]))) return
      context = checked(read)
    } catch (error) {
      return service.log.error({ err: error }, 'the TLS files cannot be used; what was read before stays')
    }
    client = channelCredentials(context)
    server.renew(context)
    shown(context)
    service.log.info('the TLS files have changed and are in use')
    for (const listener of listeners) listener()
  }
  void service.use(repeat(service, 'reload-tls-files', tls.reloadEveryMs ?? reloadEveryMs, reload))

  return {
    forServer: server,
    forClient: () => client,
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

const channelCredentials = (context: SecureContextOptions) =>
  ChannelCredentials.createFromSecureContext(createSecureContext(context), { checkServerIdentity: isThatService })

/** Whether the other side is the service that was meant, whatever address it was reached by. */
function isThatService(expected: string, certificate: PeerCertificate): Error | undefined {
  if (serviceNamed(certificate.subjectaltname) === expected) return undefined
  return checkServerIdentity(expected, certificate) ?? new Error(`the certificate names more than ${expected}`)
}
