import { failed, pending, verified, type DnsAnswer, type Finding } from './dns-answer.ts'
import { getDmarcRecord, type DmarcRecord } from './mailauth.ts'

export interface DmarcFinding extends Finding {
  /** the text of the record that applies, or null; `recordDomain` is its domain */
  readonly record: string | null
  readonly recordDomain: string | null
  /** strict alignment: the DKIM domain must be the same name, not only the same organisation */
  readonly isStrictDkim: boolean
}

class NoAnswer extends Error {
  readonly code = 'ETIMEOUT'
}

const none = { record: null, recordDomain: null, isStrictDkim: false }

/**
 * Whether a DMARC policy applies to mail from the domain, its own or an inherited one, found by the tree walk of RFC 9989. Any
 * valid policy is enough, even `p=none`. Several records under one name count as no record.
 */
export async function evaluateDmarc(
  domain: string,
  ask: (name: string, type: string) => Promise<DnsAnswer>,
): Promise<DmarcFinding> {
  const resolve = async (name: string, type: string): Promise<string[][]> => {
    const answer = await ask(name, type)
    if (answer.kind === 'no_answer') throw new NoAnswer(answer.why)
    if (answer.kind === 'none') throw Object.assign(new Error('no record'), { code: 'ENOTFOUND' })
    return answer.values.map((value) => [value])
  }
  let record: DmarcRecord | false
  try {
    record = await getDmarcRecord(domain, resolve)
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    return { ...pending(`The DNS did not answer for the DMARC record: ${error.message}. Check again later.`), ...none }
  }
  if (!record)
    return {
      ...failed(
        `No single DMARC record applies. Publish one TXT record at _dmarc.${domain}, at least "v=DMARC1; p=none".`,
      ),
      ...none,
    }
  const found = { record: record.rr, recordDomain: record.recordDomain, isStrictDkim: record.adkim === 's' }
  const policy = getDmarcRecord.getPolicyTags(record)
  if (policy === null)
    return { ...failed('The DMARC record has no valid policy. Set p= to none, quarantine or reject.'), ...found }
  const applied = record.recordDomain === domain ? policy.p : (policy.sp ?? policy.p)
  return { ...verified(`The DMARC policy of ${record.recordDomain} applies: p=${applied}.`), ...found }
}
