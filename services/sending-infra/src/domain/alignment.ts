import { getDomain } from 'tldts'

/** The name under which an organisation registered, by the public suffix list; the name itself when it is none. */
const organizationalDomain = (name: string) => getDomain(name, { allowPrivateDomains: true }) ?? name

export interface Alignment {
  readonly state: 'aligned' | 'misaligned'
  readonly detail: string
}

/**
 * Whether receivers see the DKIM signature as the From domain's own (RFC 9989 section 4.4): the same organisation, or
 * the very same name where the DMARC record asks for strictness. Null means that the provider signs with no domain.
 */
export function alignmentOf(fromDomain: string, signingDomain: string | null, isStrict: boolean): Alignment {
  if (signingDomain === null) return { state: 'misaligned', detail: 'The provider names no DKIM domain to sign with.' }
  const isAligned = isStrict
    ? fromDomain === signingDomain
    : organizationalDomain(fromDomain) === organizationalDomain(signingDomain)
  if (isAligned) return { state: 'aligned', detail: `Signatures of ${signingDomain} count as those of ${fromDomain}.` }
  const rule = isStrict
    ? 'the DMARC record asks for the very same name (adkim=s)'
    : 'the two belong to different organisations'
  return { state: 'misaligned', detail: `Signatures of ${signingDomain} do not count for ${fromDomain}: ${rule}.` }
}
