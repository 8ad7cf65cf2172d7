/** `hard_bounce` → “Hard bounce”: a name of the API as it stands in a sentence. */
export const inWords = (name: string): string => {
  const words = name.replaceAll(/[_.]/g, ' ').replace(/^api$/, 'API')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** `subscription-source:footer` → “Source footer”: where a consent or a contact comes from. */
export const sourceInWords = (source: string): string =>
  source.startsWith('subscription-source:') ? `Source ${source.slice('subscription-source:'.length)}` : inWords(source)

/** “1 contact”, “2,000 contacts”. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`

/** `0.1234` → “12.3 %”; nothing to divide by is a dash. */
export const percent = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${((part / whole) * 100).toLocaleString('en', { maximumFractionDigits: 1 })} %`

/** “Weekly news” → `weekly-news`. */
export const slugOf = (name: string): string =>
  name
    .normalize('NFD')
    .replaceAll(/\p{Diacritic}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
