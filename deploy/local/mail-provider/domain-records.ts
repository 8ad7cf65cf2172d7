import type { DnsRecord, WrittenRecord, Zones } from '../dns/zones.ts'

/** A real RSA public key of 2,048 bits. No signature is verified here, so all domains share it. */
const dkimPublicKey =
  'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAp7NqdVYr6XVMprRQHTIBsgExtGvs1ZCUi/hpKQqXjYX0u9YXesUlq8tJ8fxGsLj6//QnrVfFkiqir2dSiTM8q2K6jjHBmBY9I/D50pLCeGVuIuugaiv2Yrf92xbk+nbrRcvgJnHCLvfHvzI/ltf25vQcA/ecamemcthsukRbWGsuXmKs9HOEkPM7u7d0RovSO0d2OXkHwxJAVIFTRRMeKzXT9Od5kJPONg0Ag9CI+IANGIP3YXs8DWZraLGg2SR7sr/6Ulzb4hKbzDxkGzn9E7DqqykDB1R9VdanFzd9RTg6bCB1ou3TB3mp+MQd6eA8AWw9YCh9c/xz/4F7iitUYwIDAQAB'

export const spfValue = 'v=spf1 include:mailgun.org ~all'
export const dkimValue = `k=rsa; p=${dkimPublicKey}`

const sending = (domain: string, selector: string): DnsRecord[] => [
  { type: 'TXT', name: domain, value: spfValue },
  { type: 'TXT', name: `${selector}._domainkey.${domain}`, value: dkimValue },
  { type: 'CNAME', name: `email.${domain}`, value: 'mailgun.org' },
]

const receiving = (domain: string): DnsRecord[] => [
  { type: 'MX', name: domain, value: 'mxa.mailgun.org', priority: 10 },
  { type: 'MX', name: domain, value: 'mxb.mailgun.org', priority: 10 },
]

/** The DNS records of a domain's owner who followed the instructions of the provider, with a DMARC policy. */
export const rightRecords = (domain: string, selector: string): WrittenRecord[] => [
  ...sending(domain, selector),
  ...receiving(domain),
  { type: 'TXT', name: `_dmarc.${domain}`, value: `v=DMARC1; p=quarantine; rua=mailto:dmarc@${domain}` },
]

/** The two record lists of a domain answer; each record is compared with the current DNS. */
export function recordsAnswer(zones: Zones, domain: string, selector: string) {
  const judge = (record: DnsRecord) => {
    const found = (zones.at(record.name) ?? []).filter((other) => other.type === record.type)
    const matches = found.some((other) => other.value === record.value)
    return {
      cached: found.map((other) => other.value),
      is_active: matches,
      name: record.name,
      record_type: record.type,
      valid: matches ? 'valid' : found.length > 0 ? 'invalid' : 'unknown',
      value: record.value,
      ...(record.priority === undefined ? {} : { priority: String(record.priority) }),
    }
  }
  return {
    sending_dns_records: sending(domain, selector).map(judge),
    receiving_dns_records: receiving(domain).map(judge),
  }
}
