import type { Person } from './add-people.ts'
import type { Scene } from './scene.ts'
import type { Row } from './table.ts'

/** The page behind the link of every letter, in the language of whoever it was made for. Opening it changes nothing. */
export async function openPreferencePages(
  { api, workspace, tell }: Scene,
  audienceId: string,
  people: readonly Person[],
): Promise<Row[]> {
  const cases: [string, string][] = [
    ['sv-SE', 'sv'],
    ['de-DE', 'de'],
    ['fr-FR', 'fr'],
    ['es-ES', 'es'],
    ['ja-JP', 'en'],
  ]
  let right = 0
  let shown = ''
  for (const [locale, expected] of cases) {
    const person = people.find((one) => one.locale === locale)!
    const { preference_url: link } = await api.ok<{ preference_url: string }>(
      'POST',
      `${workspace}/contacts/${person.id}/preference-token`,
      { scope: 'audience', audience_id: audienceId },
    )
    const page = await fetch(link)
    const heading = /<h1[^>]*>([\s\S]*?)<\/h1>/.exec(await page.text())?.[1]?.replace(/<[^>]+>/g, '')
    const language = page.headers.get('content-language')
    if (page.status === 200 && language === expected) right += 1
    tell(`${locale} reads ${language}: ${heading}`)
    if (locale === 'sv-SE') shown = link
  }
  tell(`the link of the first: ${shown}`)
  return [{ name: 'pages in the language of the person', actual: right, expected: cases.length }]
}
