import { escapeHtml } from '@lettergate/values/html'
import { preferenceLayout } from './preference-layout.ts'
import { wordsIn, type Language } from './preference-words.ts'

export type Problem = 'invalid' | 'busy' | 'down'

/**
 * The page for a link that does not work. The recipient is unknown, so the page names no sender and says where the reader finds
 * the name.
 */
export function problemPage(problem: Problem, language: Language, correlationId: string): string {
  const words = wordsIn(language)
  return preferenceLayout(language, {
    heading: words[`${problem}Heading`],
    parts: [
      `<p>${words[problem]}</p>`,
      `<p>${words.senderInEmail}</p>`,
      `<p class="from">${words.reference}: <code dir="ltr">${escapeHtml(correlationId)}</code></p>`,
    ],
  })
}
