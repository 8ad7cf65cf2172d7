/** mailauth has no types for its parts; this is what the DMARC check uses of it. */
declare module 'mailauth/lib/dmarc/get-dmarc-record.js' {
  export interface DmarcRecord {
    p?: string
    sp?: string
    np?: string
    adkim?: string
    aspf?: string
    /** the record's text */
    rr: string
    isOrgRecord: boolean
    recordDomain: string
    orgDomain: string | null
  }
  type Resolve = (name: string, type: string) => Promise<string[][]>
  interface GetDmarcRecord {
    (domain: string, resolve: Resolve): Promise<DmarcRecord | false>
    getPolicyTags(record: DmarcRecord): { p: string } | null
  }
  const getDmarcRecord: GetDmarcRecord
  export default getDmarcRecord
}
