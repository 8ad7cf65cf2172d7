import { inWords } from '../../parts/words.ts'

const warnings: Record<string, string> = {
  content_empty: 'Nothing is visible.',
  unsubscribe_link_missing: 'There is no visible unsubscribe link. Add {{ unsubscribe_url }} as the address of a link.',
  outlook_markup_removed: 'Markup for Outlook was removed.',
  malformed_token: 'Braces that are no token would be seen by readers.',
  insecure_links: 'A link uses http instead of https.',
  relative_links: 'A link has no full address.',
  images_without_alt: 'An image has no alternative text.',
  huge_images: 'An image is very wide.',
  size_over_100_kb: 'The HTML is larger than 100 KB, so some mail programs cut it off.',
  spam_markup: 'The subject or the text looks like spam.',
}

/** The warnings of a content version as sentences. */
export const warningsOf = (codes: readonly string[]): string[] =>
  codes.map((code) => warnings[code] ?? `${inWords(code)}.`)
