import { escapeHtml } from '@lettergate/values/html'
import { preferenceLayout } from './preference-layout.ts'
import { wordsIn, type Language } from './preference-words.ts'

export type Problem = 'invalid' | 'busy' | 'down'

/**
 * Why a link does not work now. Nothing is known about whose link it is, so no sender is named and the page says where
 * the reader finds the name.
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
