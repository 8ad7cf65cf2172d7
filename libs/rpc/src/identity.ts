import { ChannelCredentials, ServerCredentials } from '@grpc/grpc-js'
import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { checkServerIdentity, createSecureContext, type PeerCertificate, type SecureContextOptions } from 'node:tls'
import { Gauge } from 'prom-client'
import { repeat, type Service, type TlsFiles } from '@lettergate/service'

/** The certificate with which this process authenticates to other services, as its files are now. */
export interface Identity {
  /** The same object for every port. New connections use a changed certificate. */
  readonly forServer: ServerCredentials
  /** Credentials for a new connection. */
  forClient(): ChannelCredentials
  /** Calls the listener after each change. The returned function removes it. */
  onChange(listener: () => void): () => void
}

const reloadEveryMs = 10_000

/** The service that a certificate names: its only alternative name is the service's name as a DNS name. */
export function serviceNamed(alternativeNames: string | undefined): string | undefined {
  return /^DNS:([a-z][a-z0-9-]*)$/.exec(alternativeNames ?? '')?.[1]
}

/** grpc-js gives a changed context to the ports that were opened with these credentials. */
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

/** One for each process; undefined without TLS files. Throws if the files are not usable or name another service. */
export function identityOf(service: Service): Promise<Identity> | undefined {
  const { tls } = service
  if (!tls) return undefined
  let identity = identities.get(service)
  if (!identity) identities.set(service, (identity = openIdentity(service, tls)))
  return identity
}

/** Compares the content of the files, so any way of replacing a file works. */
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
  reportExpiry(context)

  async function readFiles() {
    const [ca, cert, key] = await Promise.all([readFile(tls.ca), readFile(tls.cert), readFile(tls.key)])
    return { ca, cert, key, minVersion: 'TLSv1.3' } as const
  }
  function checked(read: Awaited<ReturnType<typeof readFiles>>) {
    createSecureContext(read) // throws if the key belongs to another certificate
    const named = serviceNamed(new X509Certificate(read.cert).subjectAltName)
    if (named !== service.name)
      throw new Error(`${tls.cert} is the certificate of ${named ?? 'no service'}, and this is ${service.name}`)
    return read
  }
  function reportExpiry({ cert }: { cert: Buffer }) {
    expiry.set(new X509Certificate(cert).validToDate.getTime() / 1000)
  }

  async function reload() {
    try {
      const read = await readFiles()
      if ((['ca', 'cert', 'key'] as const).every((part) => read[part].equals(context[part]))) return
      context = checked(read)
    } catch (error) {
      return service.log.error({ err: error }, 'the TLS files cannot be used; the previous ones stay in use')
    }
    client = channelCredentials(context)
    server.renew(context)
    reportExpiry(context)
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
  ChannelCredentials.createFromSecureContext(createSecureContext(context), { checkServerIdentity: checkService })

/** Checks that the certificate of the other side names the expected service. The address does not matter. */
function checkService(expected: string, certificate: PeerCertificate): Error | undefined {
  if (serviceNamed(certificate.subjectaltname) === expected) return undefined
  return checkServerIdentity(expected, certificate) ?? new Error(`the certificate names more than ${expected}`)
}
