import { createRequire } from 'node:module'

/** The part of mailauth's `getDmarcRecord` that the DMARC check uses. The module has no types. */
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

/** The record that applies to a domain by the tree walk of RFC 9989, or false. Errors of the resolver are thrown, except "no record". */
export const getDmarcRecord = createRequire(import.meta.url)('mailauth/lib/dmarc/get-dmarc-record') as GetDmarcRecord
