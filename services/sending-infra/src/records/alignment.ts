import { getDomain } from 'tldts'

/** The registered domain of an organisation by the public suffix list, or the name itself if there is none. */
const organizationalDomain = (name: string) => getDomain(name, { allowPrivateDomains: true }) ?? name

export interface Alignment {
  readonly state: 'aligned' | 'misaligned'
  readonly detail: string
}

/**
 * Whether the DKIM signature is aligned with the From domain (RFC 9989 section 4.4): the same organisation, or the same name
 * if the DMARC record requires strict alignment. Null means that the provider names no signing domain.
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
