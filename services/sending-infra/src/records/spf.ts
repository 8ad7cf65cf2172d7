import { failed, pending, verified, type DnsQuery, type DnsAnswer, type DnsType, type Finding } from './dns-answer.ts'

/** RFC 7208 section 4.6.4: the maximum number of terms with a lookup, over all included records. */
const lookupsMax = 10
/** The same section: the maximum number of lookups without a result. */
const voidLookupsMax = 2

type Term =
  | { kind: 'mechanism'; qualifier: string; name: string; target: string }
  | { kind: 'modifier'; name: string; target: string }

export interface SpfFinding extends Finding {
  /** the number of terms with a lookup, as RFC 7208 counts them */
  readonly lookups: number
}

/** The first matching term for the provider's mail, and whether the provider's name matched. */
interface Match {
  readonly qualifier: string
  readonly isProvider: boolean
}

/** A problem that evaluators report as permerror, or as temperror if `isTemporary`. */
class SpfProblem extends Error {
  readonly isTemporary: boolean
  constructor(message: string, isTemporary = false) {
    super(message)
    this.isTemporary = isTemporary
  }
}

const isSpf = (value: string) => /^v=spf1(?: |$)/i.test(value)

function parseTerm(text: string, domain: string): Term {
  const mechanism = /^([+\-~?]?)(all|include|exists|a|mx|ptr|ip4|ip6)(?::([^/]*))?(\/.*)?$/i.exec(text)
  if (mechanism) {
    const [, qualifier = '', rawName = '', target = '', prefix = ''] = mechanism
    const name = rawName.toLowerCase()
    const needsTarget = ['include', 'exists', 'ip4', 'ip6'].includes(name)
    if (
      (needsTarget && target === '') ||
      (name === 'all' && text.length > qualifier.length + 3) ||
      (target === '' && text.includes(':'))
    ) {
      throw new SpfProblem(`The SPF record of ${domain} has an unreadable term "${text}".`)
    }
    if (prefix !== '' && (name === 'include' || name === 'exists' || name === 'ptr')) {
      throw new SpfProblem(`The SPF record of ${domain} has an unreadable term "${text}".`)
    }
    return { kind: 'mechanism', qualifier: qualifier || '+', name, target: hostOf(target) }
  }
  const modifier = /^([a-z][a-z0-9_.-]*)=(.*)$/i.exec(text)
  if (!modifier) throw new SpfProblem(`The SPF record of ${domain} has an unknown term "${text}".`)
  return { kind: 'modifier', name: modifier[1]!.toLowerCase(), target: hostOf(modifier[2]!) }
}

const hostOf = (text: string) => text.toLowerCase().replace(/\.$/, '')

/** The record types that a receiver queries for a mechanism. `ptr` depends on the message. */
const typesOf: Readonly<Record<string, readonly DnsType[]>> = { a: ['A', 'AAAA'], mx: ['MX'], exists: ['A'] }

/** The name to include, taken from the provider's SPF value, or undefined. */
export function includedName(providerValue: string): string | undefined {
  const include = providerValue.split(/\s+/).find((term) => /^\+?include:/i.test(term))
  return include === undefined ? undefined : hostOf(include.slice(include.indexOf(':') + 1))
}

/**
 * Whether a domain authorises the provider: it has exactly one SPF record, the first term that matches the provider passes (its
 * name, directly or through include and redirect), and the evaluation needs at most ten lookups and has no loop. Terms after
 * `all` are not evaluated and do not count. Lookups without a result count only before the provider's name is reached, because
 * a receiver stops there.
 */
export async function evaluateSpf(domain: string, providerName: string, ask: DnsQuery): Promise<SpfFinding> {
  let lookups = 0
  let voidLookups = 0

  async function recordOf(name: string): Promise<string> {
    const answer = answered(await ask(name, 'TXT'), name)
    const found = answer.kind === 'none' ? [] : answer.values.filter(isSpf)
    if (found.length === 1) return found[0]!
    throw new SpfProblem(
      found.length === 0 ? `${name} has no SPF record.` : `${name} has ${found.length} SPF records. Leave exactly one.`,
    )
  }

  function answered(answer: DnsAnswer, name: string): Exclude<DnsAnswer, { kind: 'no_answer' }> {
    if (answer.kind !== 'no_answer') return answer
    throw new SpfProblem(`The DNS did not answer for ${name}: ${answer.why}. Check again later.`, true)
  }

  const hasRecord = async (name: string, types: readonly DnsType[]): Promise<boolean> => {
    for (const type of types) if (answered(await ask(name, type), name).kind === 'records') return true
    return false
  }

  /** Whether a record was found. Terms that a receiver does not reach or that depend on the message are not queried. */
  async function lookUp(mechanism: string, target: string, isReached: boolean): Promise<boolean> {
    count()
    const types = typesOf[mechanism] ?? []
    if (!isReached || types.length === 0 || target.includes('%')) return false
    if (await hasRecord(target, types)) return true
    voidLookups += 1
    if (voidLookups > voidLookupsMax)
      throw new SpfProblem(
        `More than ${voidLookupsMax} lookups of the SPF record find nothing, ${target} the last, so receivers ignore it. Remove them.`,
      )
    return false
  }

  const count = () => {
    lookups += 1
    if (lookups > lookupsMax)
      throw new SpfProblem(
        `Evaluating the SPF record takes more than ${lookupsMax} lookups, so receivers ignore it. Remove includes.`,
      )
  }

  async function follow(target: string, path: readonly string[], isReached: boolean): Promise<Match | undefined> {
    count()
    if (target.includes('%')) return undefined // a macro depends on the message, so there is no fixed name to follow
    if (path.includes(target)) throw new SpfProblem(`The SPF record of ${path.at(-1)} leads back to ${target}.`)
    const isProvider = target === providerName
    const inside = await walk(target, [...path, target], isReached && !isProvider)
    return isProvider ? { qualifier: '+', isProvider } : inside
  }

  /** The first term of a record that matches the provider's mail, or undefined. Later terms only count as lookups. */
  async function walk(name: string, path: readonly string[], isReached: boolean): Promise<Match | undefined> {
    const record = await recordOf(name)
    const terms = record
      .split(/ +/)
      .slice(1)
      .filter(Boolean)
      .map((text) => parseTerm(text, name))
    const redirects = terms.filter((term) => term.kind === 'modifier' && term.name === 'redirect')
    if (redirects.length > 1) throw new SpfProblem(`The SPF record of ${name} has more than one redirect.`)
    let match: Match | undefined
    for (const term of terms) {
      if (term.kind === 'modifier') continue
      if (term.name === 'all') return match ?? { qualifier: term.qualifier, isProvider: false }
      const isNext = isReached && match === undefined
      if (term.name === 'include') {
        const inside = await follow(term.target, path, isNext)
        if (inside?.qualifier === '+') match ??= { qualifier: term.qualifier, isProvider: inside.isProvider }
      } else if (['a', 'mx', 'ptr', 'exists'].includes(term.name)) {
        const isFound = await lookUp(term.name, term.target || name, isNext)
        // an existing name matches every message
        if (isFound && term.name === 'exists') match = { qualifier: term.qualifier, isProvider: false }
      }
    }
    if (!redirects[0]) return match
    const redirected = await follow(redirects[0].target, path, isReached && match === undefined)
    return match ?? redirected
  }

  let match: Match | undefined
  try {
    match = await walk(domain, [domain], true)
  } catch (error) {
    if (!(error instanceof SpfProblem)) throw error
    return { ...(error.isTemporary ? pending(error.message) : failed(error.message)), lookups }
  }
  const finding =
    match?.isProvider && match.qualifier === '+'
      ? verified(`The one SPF record includes ${providerName}, with ${lookups} of ${lookupsMax} lookups.`)
      : failed(`The SPF record does not include ${providerName}. Add include:${providerName} before its "all".`)
  return { ...finding, lookups }
}
