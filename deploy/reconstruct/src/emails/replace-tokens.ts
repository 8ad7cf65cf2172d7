import type { EmailTexts, LegacyEmail } from './legacy-email.ts'

/** What stands in place of a legacy token: in HTML, in other text, and the default value that the token carried. */
export interface TokenReplacement {
  readonly html: string
  readonly text: string
  readonly shown: string
  readonly fallback?: { readonly name: string; readonly value: string }
}

export const tokenNamed = (name: string): TokenReplacement => {
  const written = `{{ ${name} }}`
  return { html: written, text: written, shown: name }
}

/**
 * Replaces legacy tokens in every part of an email. `find` says what a legacy token becomes; undefined leaves it as it is, and
 * reports it. Replaced text is not read again.
 */
export function replaceTokens(
  texts: EmailTexts,
  pattern: RegExp,
  find: (legacy: string) => TokenReplacement | undefined,
): LegacyEmail {
  const tokensMapped: Record<string, string> = {}
  const notMapped = new Set<string>()
  const personalizationDefaults: Record<string, string> = {}
  const replace = (text: string, part: 'html' | 'text') =>
    text.replaceAll(pattern, (legacy) => {
      const found = find(legacy)
      if (!found) {
        notMapped.add(legacy)
        return legacy
      }
      tokensMapped[legacy] = found.shown
      if (found.fallback) personalizationDefaults[found.fallback.name] ??= found.fallback.value
      return found[part]
    })
  return {
    subject: replace(texts.subject, 'text'),
    html: replace(texts.html, 'html'),
    preheader: texts.preheader === undefined ? undefined : replace(texts.preheader, 'text'),
    plainText: texts.plainText === undefined ? undefined : replace(texts.plainText, 'text'),
    personalizationDefaults,
    tokensMapped,
    notMapped: [...notMapped],
  }
}

/** A pattern for exactly these texts, the longest first; it finds nothing when there are none. */
export const anyOf = (texts: readonly string[]): RegExp =>
  texts.length === 0
    ? /(?!)/g
    : new RegExp(
        texts
          .toSorted((one, other) => other.length - one.length)
          .map((text) => text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&'))
          .join('|'),
        'g',
      )
