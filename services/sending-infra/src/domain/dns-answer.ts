/**
 * What the DNS said. `none`: the name or the type does not exist, which is an answer. `no_answer`: nobody knows right
 * now. TXT values have their chunks joined.
 */
export type DnsAnswer =
  { kind: 'records'; values: readonly string[] } | { kind: 'none' } | { kind: 'no_answer'; why: string }

export type DnsType = 'TXT' | 'CNAME' | 'A' | 'AAAA' | 'MX'

/** MX values are `priority exchange`. */
export type Ask = (name: string, type: DnsType) => Promise<DnsAnswer>

/** What one look at a record says: it is right, it is wrong, or it could not be seen. Only `verified` opens anything. */
export interface Finding {
  readonly state: 'verified' | 'failed' | 'pending'
  /** a sentence for the person who has to mend it */
  readonly detail: string
}

export const verified = (detail: string): Finding => ({ state: 'verified', detail })
export const failed = (detail: string): Finding => ({ state: 'failed', detail })
export const pending = (detail: string): Finding => ({ state: 'pending', detail })
