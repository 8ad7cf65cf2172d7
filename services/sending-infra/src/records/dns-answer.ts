/**
 * The answer to a DNS query. `none`: the name or the type does not exist. `no_answer`: the query failed, so the result is
 * unknown. The chunks of a TXT value are joined.
 */
export type DnsAnswer =
  { kind: 'records'; values: readonly string[] } | { kind: 'none' } | { kind: 'no_answer'; why: string }

export type DnsType = 'TXT' | 'CNAME' | 'A' | 'AAAA' | 'MX'

/** MX values are `priority exchange`. */
export type DnsQuery = (name: string, type: DnsType) => Promise<DnsAnswer>

/** The result of checking a record: it is correct, it is wrong, or the result is unknown. Only `verified` allows sending. */
export interface Finding {
  readonly state: 'verified' | 'failed' | 'pending'
  /** a sentence for the person who has to fix the record */
  readonly detail: string
}

export const verified = (detail: string): Finding => ({ state: 'verified', detail })
export const failed = (detail: string): Finding => ({ state: 'failed', detail })
export const pending = (detail: string): Finding => ({ state: 'pending', detail })
