export type RecordType = 'TXT' | 'MX' | 'CNAME' | 'A' | 'AAAA' | 'NS'

export interface DnsRecord {
  readonly type: RecordType
  /** Lowercase, absolute, without the final dot. */
  readonly name: string
  readonly value: string
  /** MX only. */
  readonly priority?: number
}

/** A record as users write it: names may be `@` or relative to the zone, an MX value may begin with its priority. */
export interface WrittenRecord {
  type: string
  name?: string | undefined
  value: string
  priority?: number | string | undefined
}

const recordTypes: readonly string[] = ['TXT', 'MX', 'CNAME', 'A', 'AAAA', 'NS'] satisfies RecordType[]

/** The records of the DNS server, with which the mail provider compares its domains. */
export interface Zones {
  /** Replaces all records of the zone; an empty list makes its names unknown. Throws for an invalid record. */
  replace(zone: string, records: readonly WrittenRecord[]): void
  /** The records of one name, of all types; undefined when the name does not exist (NXDOMAIN). */
  at(name: string): readonly DnsRecord[] | undefined
  zone(zone: string): readonly DnsRecord[]
}

/** Zones with only the records of the provider (mailgun.org). */
export function createZones(): Zones {
  const zones = new Map<string, readonly DnsRecord[]>()
  let names = new Map<string, DnsRecord[]>()

  const reindex = () => {
    names = new Map()
    for (const record of [...zones.values()].flat()) {
      const known = names.get(record.name)
      if (known) known.push(record)
      else names.set(record.name, [record])
      // An ancestor of an existing name exists too (RFC 8020), though it may have no records.
      for (let dot = record.name.indexOf('.'); dot > 0; dot = record.name.indexOf('.', dot + 1)) {
        const ancestor = record.name.slice(dot + 1)
        if (!names.has(ancestor)) names.set(ancestor, [])
      }
    }
  }

  const replace = (zone: string, records: readonly WrittenRecord[]) => {
    const origin = absolute(zone)
    const read = records.map((record) => readRecord(record, origin))
    if (read.length === 0) zones.delete(origin)
    else zones.set(origin, read)
    reindex()
  }

  replace('mailgun.org', providerRecords)
  return { replace, at: (name) => names.get(absolute(name)), zone: (zone) => zones.get(absolute(zone)) ?? [] }
}

const absolute = (name: string) => name.trim().toLowerCase().replace(/\.$/, '')

function readRecord(written: WrittenRecord, origin: string): DnsRecord {
  const type = String(written.type).toUpperCase()
  if (!recordTypes.includes(type)) throw new Error(`a record's type must be one of ${recordTypes.join(', ')}`)
  if (typeof written.value !== 'string') throw new Error('a record needs a value that is a string')
  const name = within(absolute(written.name ?? '@'), origin)
  if (type !== 'MX') return { type: type as RecordType, name, value: written.value }
  const [, inline, exchange] = /^(?:(\d+)\s+)?(\S+)$/.exec(written.value.trim()) ?? []
  return {
    type,
    name,
    value: absolute(exchange ?? written.value),
    priority: Number(written.priority ?? inline ?? 10),
  } as DnsRecord
}

/** `@` and '' are the zone itself; a name that ends in the zone's top label is absolute; any other is relative. */
function within(name: string, origin: string) {
  if (name === '' || name === '@' || name === origin) return origin
  const top = origin.slice(origin.lastIndexOf('.') + 1)
  return name.endsWith(`.${top}`) ? name : `${name}.${origin}`
}

// Addresses are from the ranges for documentation, so that nothing here is a real host.
const providerRecords: readonly WrittenRecord[] = [
  { type: 'TXT', name: 'mailgun.org', value: 'v=spf1 include:_spf.mailgun.org include:_spf.eu.mailgun.org -all' },
  { type: 'TXT', name: '_spf.mailgun.org', value: 'v=spf1 ip4:192.0.2.0/25 ip4:198.51.100.0/24 ~all' },
  { type: 'TXT', name: '_spf.eu.mailgun.org', value: 'v=spf1 ip4:203.0.113.0/24 ~all' },
  { type: 'A', name: 'mailgun.org', value: '192.0.2.10' },
  { type: 'A', name: 'mxa.mailgun.org', value: '192.0.2.11' },
  { type: 'A', name: 'mxb.mailgun.org', value: '192.0.2.12' },
  { type: 'MX', name: 'mailgun.org', value: 'mxa.mailgun.org', priority: 10 },
]
