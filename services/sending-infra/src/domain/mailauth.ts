import { createRequire } from 'node:module'

/** What the DMARC check uses of mailauth's `getDmarcRecord`, a documented module without types of its own. */
export interface DmarcRecord {
  p?: string
  adkim?: string
  /** the record's text */
  rr: string
  recordDomain: string
}

interface GetDmarcRecord {
  (domain: string, resolve: (name: string, type: string) => Promise<string[][]>): Promise<DmarcRecord | false>
  getPolicyTags(record: DmarcRecord): { p: string; sp?: string } | null
}

/** The record that applies to a domain by the tree walk of RFC 9989, or false. Throws what the resolver throws, unless it means "no record". */
export const getDmarcRecord = createRequire(import.meta.url)('mailauth/lib/dmarc/get-dmarc-record') as GetDmarcRecord
