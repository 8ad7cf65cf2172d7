import type { Person } from './add-people.ts'
import type { Scene } from './scene.ts'
import type { ReportRow } from './table.ts'

/** Opens the preference page, the link of every email. It is in the language of the contact, and opening it changes nothing. */
export async function openPreferencePages(
  { api, workspace, print }: Scene,
  audienceId: string,
  people: readonly Person[],
): Promise<ReportRow[]> {
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
    print(`${locale} gets ${language}: ${heading}`)
    if (locale === 'sv-SE') shown = link
  }
  print(`the link of the first one: ${shown}`)
  return [{ name: 'pages in the language of the person', actual: right, expected: cases.length }]
}
