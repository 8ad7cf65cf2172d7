import { isRecord, type ProviderDomain, type ProviderRecord } from './shapes.ts'

const text = (value: unknown) => (typeof value === 'string' ? value : '')

function readRecord(raw: unknown): ProviderRecord | undefined {
  if (!isRecord(raw)) return undefined
  const name = text(raw['name']).toLowerCase().replace(/\.$/, '')
  const value = text(raw['value'])
  // such a value is not valid in DNS, and the database may not be able to store it
  if (value === '' || value.length > 4_096 || /\p{Cc}/u.test(name + value)) return undefined
  return { name, type: text(raw['record_type']).toUpperCase(), value, valid: text(raw['valid']) || 'unknown' }
}

/**
 * Reads the state and the sending DNS records of a v4 domain answer. It ignores `smtp_login`, `smtp_password` and all other
 * fields. Undefined if the answer is not a domain.
 */
export function readDomain(answer: object): ProviderDomain | undefined {
  const domain = isRecord(answer) ? answer['domain'] : undefined
  const records = isRecord(answer) ? answer['sending_dns_records'] : undefined
  if (!isRecord(domain) || typeof domain['name'] !== 'string' || typeof domain['state'] !== 'string') return undefined
  return {
    reference: text(domain['id']) || null,
    name: domain['name'].toLowerCase(),
    state: domain['state'],
    records: Array.isArray(records) ? records.flatMap((raw) => readRecord(raw) ?? []) : [],
  }
}

/** The SPF record with the name that customers must include. */
export const spfRecordOf = (records: readonly ProviderRecord[]): ProviderRecord | undefined =>
  records.find((record) => record.type === 'TXT' && /^v=spf1(?: |$)/i.test(record.value))

export interface DkimRecord extends ProviderRecord {
  readonly selector: string
  /** the domain in signatures (d=) */
  readonly signingDomain: string
}

export const isDkimName = (name: string): boolean => name.includes('._domainkey.')

/** The DKIM record with this selector, or the first one without a selector. */
export function dkimRecordOf(records: readonly ProviderRecord[], selector?: string | null): DkimRecord | undefined {
  const found = records.flatMap((record): DkimRecord[] => {
    const [, name, signingDomain] = /^(.+)\._domainkey\.(.+)$/.exec(record.name) ?? []
    return name === undefined || signingDomain === undefined || !['TXT', 'CNAME'].includes(record.type)
      ? []
      : [{ ...record, selector: name, signingDomain }]
  })
  return selector == null ? found[0] : found.find((record) => record.selector === selector)
}
