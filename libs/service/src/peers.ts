import { BlockList, isIP } from 'node:net'
import { ConfigError } from './config.ts'

/** PEM files of a mutual TLS identity: the trusted authorities, and the certificate and key of this service. */
export interface TlsFiles {
  readonly ca: string
  readonly cert: string
  readonly key: string
  /** how often they are read again; default 10 s */
  readonly reloadEveryMs?: number
}

interface PeerVariables {
  readonly tlsCaFile: string
  readonly tlsCertFile: string
  readonly tlsKeyFile: string
}

/** All three files or none. */
export function tlsFilesOf({ tlsCaFile: ca, tlsCertFile: cert, tlsKeyFile: key }: PeerVariables): TlsFiles | undefined {
  const given = [ca, cert, key].filter((path) => path !== '').length
  if (given === 0) return undefined
  if (given < 3) throw new ConfigError(['TLS_CA_FILE, TLS_CERT_FILE and TLS_KEY_FILE must be set together'])
  return { ca, cert, key }
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

function isLoopback(address: string): boolean {
  const version = isIP(address)
  return address === 'localhost' || (version !== 0 && loopback.check(address, version === 6 ? 'ipv6' : 'ipv4'))
}

/** Without TLS every client that reaches a gRPC port is trusted, so the ports are on loopback unless the operator allows more. */
export function requireProtectedPorts(settings: {
  bindAddress: string
  tls: TlsFiles | undefined
  allowPlaintextPeers: boolean
}): void {
  const { bindAddress, tls, allowPlaintextPeers } = settings
  if (tls || allowPlaintextPeers || isLoopback(bindAddress)) return
  throw new ConfigError([
    `BIND_ADDRESS is ${bindAddress}, where others on the network could call this service without a certificate. ` +
      'Set TLS_CA_FILE, TLS_CERT_FILE and TLS_KEY_FILE, or bind to 127.0.0.1, or set ALLOW_PLAINTEXT_PEERS=true if the network itself keeps others away',
  ])
}
