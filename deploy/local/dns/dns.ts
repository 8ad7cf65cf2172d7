import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { Packet, TCPServer, UDPServer } from 'dns2'
import { createZones, type DnsRecord, type Zones } from './zones.ts'
import { loopback } from '../listen.ts'

export interface Dns {
  /** `ip:port`, in the form of DNS_SERVERS. */
  readonly address: string
  readonly port: number
  readonly zones: Zones
  stop(): Promise<void>
}

type Resource = Packet['answers'][number]

const ttlSeconds = 5
const notImplemented = 4
const nameError = 3
const anyType = 255

/**
 * A DNS server with authoritative answers from the zones, over UDP and TCP on one port, on loopback unless an address is given. An answer above the UDP limit of
 * the client is truncated, so that the client retries over TCP. Names outside of all zones do not exist (NXDOMAIN).
 */
export async function startDns(options: { port?: number; address?: string; zones?: Zones } = {}): Promise<Dns> {
  const zones = options.zones ?? createZones()
  const handle = (request: Packet, send: (response: Packet) => Promise<Buffer>) => void send(answer(zones, request))
  const { port: wanted = 0, address = loopback } = options
  const { udp, tcp, port } = await bindBoth(wanted, address, handle)

  const open = new Set<Socket>()
  tcp.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  const stop = async () => {
    const closed = Promise.all([once(udp, 'close'), once(tcp, 'close')])
    udp.close()
    tcp.close()
    for (const socket of open) socket.destroy()
    await closed
  }
  return { address: `127.0.0.1:${port}`, port, zones, stop }
}

/** Both transports use one port. With port 0 the UDP socket chooses it; if TCP cannot use it, another one is tried. */
async function bindBoth(
  port: number,
  address: string,
  handle: (request: Packet, send: (response: Packet) => Promise<Buffer>) => void,
) {
  for (let attempt = 1; ; attempt += 1) {
    const udp = new UDPServer()
    udp.on('request', handle)
    const tcp = new TCPServer()
    tcp.on('request', handle)
    // A datagram or stream that is not a DNS message is dropped.
    for (const server of [udp, tcp]) server.on('requestError', () => undefined)

    udp.bind(port, address)
    await once(udp, 'listening')
    const taken = (udp.address() as AddressInfo).port
    tcp.listen(taken, address)
    try {
      await once(tcp, 'listening')
      return { udp, tcp, port: taken }
    } catch (error) {
      udp.close()
      if (port !== 0 || attempt === 20) throw error
    }
  }
}

function answer(zones: Zones, request: Packet): Packet {
  const response = Packet.createResponseFromRequest(request)
  response.header.aa = 1
  const question = request.questions[0]
  if (request.header.opcode !== 0 || question === undefined) {
    response.header.rcode = notImplemented
    return response
  }

  const records = zones.at(question.name)
  if (records === undefined) response.header.rcode = nameError
  else response.answers.push(...chase(zones, question.name, question.type, records).map(resource))
  if (response.answers.length === 0) response.authorities.push(startOfAuthority(question.name))
  return response
}

/** The requested records; for an alias, the CNAME and the records of its target (RFC 1034, 3.6.2). */
function chase(zones: Zones, name: string, type: number, records: readonly DnsRecord[], depth = 0): DnsRecord[] {
  const direct = records.filter((record) => type === anyType || Packet.TYPE[record.type] === type)
  const alias = records.find((record) => record.type === 'CNAME')
  if (direct.length > 0 || alias === undefined || depth > 8) return direct
  return [alias, ...chase(zones, alias.value, type, zones.at(alias.value) ?? [], depth + 1)]
}

function resource(record: DnsRecord): Resource {
  const base = { name: record.name, type: Packet.TYPE[record.type], class: Packet.CLASS.IN, ttl: ttlSeconds }
  return new Packet.Resource({ ...base, ...content(record) })
}

function content({ type, value, priority }: DnsRecord): Partial<Resource> {
  switch (type) {
    case 'TXT':
      return { data: characterStrings(value) }
    case 'MX':
      return { exchange: value, priority: priority ?? 10 }
    case 'CNAME':
      return { domain: value.replace(/\.$/, '') }
    case 'NS':
      return { ns: value.replace(/\.$/, '') }
    case 'A':
    case 'AAAA':
      return { address: value }
  }
}

/** One TXT record is a list of strings of at most 255 bytes (RFC 1035, 3.3.14); a DKIM key needs two. */
function characterStrings(value: string) {
  const bytes = Buffer.from(value)
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length || at === 0; at += 255) parts.push(bytes.subarray(at, at + 255))
  return parts as unknown as string[]
}

const startOfAuthority = (name: string) =>
  new Packet.Resource({
    name: name.split('.').slice(-2).join('.') || 'test',
    type: Packet.TYPE.SOA,
    class: Packet.CLASS.IN,
    ttl: ttlSeconds,
    primary: 'ns.mailgun.org',
    admin: 'hostmaster.mailgun.org',
    serial: 1,
    refresh: 3600,
    retry: 600,
    expiration: 86_400,
    minimum: ttlSeconds,
  })
