import { ar } from './words/ar.ts'
import { da } from './words/da.ts'
import { de } from './words/de.ts'
import { en } from './words/en.ts'
import { es } from './words/es.ts'
import { fr } from './words/fr.ts'
import { it } from './words/it.ts'
import { nl } from './words/nl.ts'
import { pl } from './words/pl.ts'
import { pt } from './words/pt.ts'
import { sv } from './words/sv.ts'
import type { Words } from './words/words.ts'

/** In the order of the page; the first one is for a browser that accepts any language. */
const catalogue = { en, da, de, es, fr, it, nl, pl, pt, sv, ar } as const
export type Language = keyof typeof catalogue
export const languages = Object.keys(catalogue) as Language[]

const isSpoken = (language: string | false | undefined): language is Language =>
  languages.some((spoken) => spoken === language)

/**
 * The language that the reader chose; otherwise the locale of the contact; otherwise the language of the browser; otherwise
 * English.
 */
export function languageOf(locale: string | undefined, browser: string | false, chosen?: Language): Language {
  if (chosen !== undefined) return chosen
  const own = locale?.trim().toLowerCase().split(/[-_]/, 1)[0]
  if (isSpoken(own)) return own
  return isSpoken(browser) ? browser : 'en'
}

/** The language of `?lang=`; undefined for an unknown one, which is ignored. */
export const chosenLanguage = (lang: unknown): Language | undefined =>
  typeof lang === 'string' && isSpoken(lang) ? lang : undefined

export const wordsIn = (language: Language): Words => catalogue[language]
