import { getOption, type DescMethod, type DescService } from '@bufbuild/protobuf'
import { Counter } from 'prom-client'
import type { PeerCertificate } from 'node:tls'
import { answered_by, callers } from '@lettergate/contracts/rpc/v1/options'
import { Fault } from '@lettergate/fault'
import type { Service } from '@lettergate/service'
import { serviceNamed } from './identity.ts'

/** The other end of one connection. */
export interface Peer {
  /** the service that its certificate names */
  readonly name: string | undefined
  /** epoch milliseconds */
  readonly validUntil: number
}

/** The part of an incoming grpc-js call that this file uses. */
interface Incoming {
  getAuthContext(): { sslPeerCertificate?: PeerCertificate }
}

export interface PeerCheck {
  /** The service that made this call or opened this stream. */
  peerOf(call: Incoming): Peer
  /** Throws Fault `permission_denied` if the method does not declare this peer as a caller. */
  requireCaller(peer: Peer, method: DescMethod): void
}

/** The service that serves these rpcs. Clients expect its certificate. */
export function servingServiceOf(rpc: DescService): string {
  const name = getOption(rpc, answered_by)
  if (name === '') throw new Error(`${rpc.typeName} does not declare the service that answers it`)
  return name
}

/** Without TLS any caller is allowed. Then only the bound address protects the port. */
const allowAll: PeerCheck = {
  peerOf: () => ({ name: undefined, validUntil: Infinity }),
  requireCaller: () => undefined,
}

/** Checks each call against the `callers` of its method, and the certificate's validity. This covers shared streams and separate calls. */
export function openPeerCheck(service: Service, methods: readonly DescMethod[]): PeerCheck {
  if (!service.tls) return allowAll
  const refused = new Counter({
    name: 'lettergate_rpc_peers_refused_total',
    help: 'gRPC calls of services that may not make them',
    labelNames: ['peer', 'method'],
    registers: [service.metrics],
  })
  const allowed = new Map(methods.map((method) => [method, new Set(getOption(method, callers))]))
  return {
    peerOf(call) {
      const certificate = call.getAuthContext().sslPeerCertificate
      if (!certificate) return { name: undefined, validUntil: 0 }
      return { name: serviceNamed(certificate.subjectaltname), validUntil: Date.parse(certificate.valid_to) }
    },
    requireCaller({ name, validUntil }, method) {
      const isCurrent = validUntil > Date.now()
      if (name !== undefined && isCurrent && allowed.get(method)!.has(name)) return
      const peer = name ?? 'unknown'
      refused.inc({ peer, method: method.name })
      service.log.warn({ peer, method: method.name, isCurrent }, 'a service made a call that it may not make')
      throw new Fault('permission_denied', 'peer_not_allowed', 'This service may not make this call.')
    },
  }
}
