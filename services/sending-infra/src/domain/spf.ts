import { failed, pending, verified, type Ask, type DnsAnswer, type DnsType, type Finding } from './dns-answer.ts'

/** RFC 7208 section 4.6.4: terms that cost a lookup, all included records together. */
const lookupsMax = 10
/** The same section: of them, so many may find nothing. */
const voidLookupsMax = 2

type Term =
  | { kind: 'mechanism'; qualifier: string; name: string; target: string }
  | { kind: 'modifier'; name: string; target: string }

export interface SpfFinding extends Finding {
  /** terms that cost a lookup, as RFC 7208 counts them */
  readonly lookups: number
}

/** The term that decides about the provider's mail, and whether it is the provider's name that matched. */
interface Match {
  readonly qualifier: string
  readonly isProvider: boolean
}

/** A problem that makes every evaluator answer permerror, or temperror when `isPassing`. */
class SpfProblem extends Error {
  readonly isPassing: boolean
  constructor(message: string, isPassing = false) {
    super(message)
    this.isPassing = isPassing
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

/** What a receiver asks for to evaluate a mechanism; `ptr` depends on the message. */
const typesOf: Readonly<Record<string, readonly DnsType[]>> = { a: ['A', 'AAAA'], mx: ['MX'], exists: ['A'] }

/** The name that a provider's own SPF value tells its customers to include, or undefined when it names none. */
export function includedName(providerValue: string): string | undefined {
  const include = providerValue.split(/\s+/).find((term) => /^\+?include:/i.test(term))
  return include === undefined ? undefined : hostOf(include.slice(include.indexOf(':') + 1))
}

/**
 * Whether a domain lets the provider send: it has exactly one SPF record, the first of its terms that speaks of the provider
 * passes it (its name, directly or through include and redirect), and the whole can be evaluated within ten lookups without a
 * loop. What stands behind `all` is never evaluated and does not count. Lookups that find nothing count as long as a receiver
 * would come by them, which is until the provider's name is reached.
 */
export async function evaluateSpf(domain: string, providerName: string, ask: Ask): Promise<SpfFinding> {
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

  const isThere = async (name: string, types: readonly DnsType[]): Promise<boolean> => {
    for (const type of types) if (answered(await ask(name, type), name).kind === 'records') return true
    return false
  }

  /** Answers whether anything was found, as far as a receiver comes by and it does not depend on the message. */
  async function lookUp(mechanism: string, target: string, isReached: boolean): Promise<boolean> {
    count()
    const types = typesOf[mechanism] ?? []
    if (!isReached || types.length === 0 || target.includes('%')) return false
    if (await isThere(target, types)) return true
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
    if (target.includes('%')) return undefined // a macro depends on the message: nothing to follow
    if (path.includes(target)) throw new SpfProblem(`The SPF record of ${path.at(-1)} leads back to ${target}.`)
    const isProvider = target === providerName
    const inside = await walk(target, [...path, target], isReached && !isProvider)
    return isProvider ? { qualifier: '+', isProvider } : inside
  }

  /** What a record says of the provider's mail: its first term that matches, undefined when none does. The rest only costs. */
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
        // a name that exists, exists for everybody
        if (isFound && term.name === 'exists') match = { qualifier: term.qualifier, isProvider: false }
      }
    }
    if (!redirects[0]) return match
    const elsewhere = await follow(redirects[0].target, path, isReached && match === undefined)
    return match ?? elsewhere
  }

  let match: Match | undefined
  try {
    match = await walk(domain, [domain], true)
  } catch (error) {
    if (!(error instanceof SpfProblem)) throw error
    return { ...(error.isPassing ? pending(error.message) : failed(error.message)), lookups }
  }
  const finding =
    match?.isProvider && match.qualifier === '+'
      ? verified(`The one SPF record includes ${providerName}, with ${lookups} of ${lookupsMax} lookups.`)
      : failed(`The SPF record does not include ${providerName}. Add include:${providerName} before its "all".`)
  return { ...finding, lookups }
}
