// Writes contacts.jsonl: 2,000 lines, the same every time. `node deploy/demo/make-contacts.ts`
// 1,988 people with recorded consent and 12 malformed rows. The local mail provider reads its behaviour from the part after the last +.
import { writeFileSync } from 'node:fs'
import type { DemoContact } from './contacts.ts'

let state = 20_260_728
/** Park and Miller's generator: this is a script that must always write the same file. */
const below = (limit: number) => {
  state = (state * 48_271) % 2_147_483_647
  return state % limit
}
const pick = <T>(from: readonly T[]): T => from[below(from.length)]!

const people = {
  SE: {
    first: ['Åsa', 'Björn', 'Märta', 'Örjan', 'Linnéa', 'Göran', 'Maja', 'Sören'],
    last: ['Söderström', 'Åkerlund', 'Öberg', 'Lindqvist', 'Sjögren'],
    domains: ['exempel.se', 'räksmörgås.se', 'post.exempel.se'],
    locale: 'sv-SE',
  },
  DE: {
    first: ['Jürgen', 'Käthe', 'Björn', 'Anneliese', 'Götz', 'Sabine', 'Ümit'],
    last: ['Müller', 'Größmann', 'von der Heide', 'Weiß', 'Schäfer'],
    domains: ['beispiel.de', 'bücher.example', 'mail.beispiel.de'],
    locale: 'de-DE',
  },
  FR: {
    first: ['Chloé', 'François', 'Zoé', 'Noël', 'Hélène', 'Jean-Baptiste'],
    last: ["d'Aubigné", 'Lefèvre', "L'Hôpital", 'Garçon', 'Château-Renault'],
    domains: ['exemple.fr', 'café.example', 'courriel.exemple.fr'],
    locale: 'fr-FR',
  },
  ES: {
    first: ['Íñigo', 'María José', 'Begoña', 'Ángel', 'Núria', 'Raúl'],
    last: ['Núñez', 'Peña García', 'López-Ibáñez', 'Güell', 'Muñoz'],
    domains: ['ejemplo.es', 'correo.ejemplo.es', 'mañana.example'],
    locale: 'es-ES',
  },
  IE: {
    first: ['Siobhán', 'Pádraig', 'Niamh', 'Seán', 'Gráinne'],
    last: ["O'Brien", "O'Sullivan", "D'Arcy", 'Mac Aodha', "O'Neill"],
    domains: ['example.ie', 'post.example.ie'],
    locale: 'en-IE',
  },
  PL: {
    first: ['Łukasz', 'Żaneta', 'Zbigniew', 'Małgorzata', 'Świętosław'],
    last: ['Wiśniewski', 'Kowalczyk', 'Żółć', 'Brzęczyszczykiewicz'],
    domains: ['przyklad.pl', 'poczta.przyklad.pl'],
    locale: 'pl-PL',
  },
  JP: {
    first: ['陽菜', '蓮', 'さくら', '大翔'],
    last: ['佐藤', '鈴木', '高橋'],
    domains: ['例え.テスト', 'example.jp'],
    locale: 'ja-JP',
  },
  US: {
    first: ['Grace', 'Ada', 'Katherine', 'Mary Ann', 'Dorothy', 'Barbara', 'Radia'],
    last: ["O'Connor", 'Hopper', 'St. John', 'Vaughan', 'Perlman', 'Smith & Sons'],
    domains: ['example.com', 'mail.example.com', 'example.org'],
    locale: 'en-US',
  },
} as const
const companies = ['Kraft & Söhne', 'Blåbär AB', 'O’Malley’s <Tea>', 'Ümlaut GmbH', 'Très Bien', null, null, null]

// The number of the 1,988 people for each behaviour after the hand-off; the others are delivered without further events.
const behaviours: readonly [string, number][] = [
  ['hardbounce', 40],
  ['softfail', 30],
  ['softthenok', 25],
  ['complain', 6],
  ['unsubscribe', 12],
  ['open', 320],
  ['click', 140],
  ['silent', 45],
]

const latin = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ł', 'l')
    .replaceAll('ß', 'ss')
    .replace(/[^a-z0-9]+/g, '.')
    .replace(/^\.+|\.+$/g, '')

function person(index: number, behaviour: string | undefined): DemoContact {
  const country = pick(Object.keys(people) as (keyof typeof people)[])
  const { first, last, domains, locale } = people[country]
  const [firstName, lastName] = [pick(first), pick(last)]
  const name = latin(`${firstName} ${lastName}`) || 'kontakt'
  const day = String(1 + below(28)).padStart(2, '0')
  const month = String(1 + below(10)).padStart(2, '0')
  return {
    email: `${name}.${index}${behaviour ? `+${behaviour}` : ''}@${pick(domains)}`,
    first_name: firstName,
    last_name: lastName,
    company: pick(companies),
    country_code: country,
    locale,
    consent: {
      captured_at: `2026-${month}-${day}T${String(below(24)).padStart(2, '0')}:15:00Z`,
      form_identifier: pick(['footer', 'checkout', 'fair-2026']),
      wording_version: '2026-01',
      page_url: 'https://www.acme.test/newsletter',
    },
  }
}

const valid = person(0, undefined)
const malformed: DemoContact[] = [
  { ...valid, email: 'no-at-sign.example.com', malformed: 'email' },
  { ...valid, email: '', malformed: 'email' },
  { ...valid, email: 'two@@example.com', malformed: 'email' },
  { ...valid, email: 'dots..in.domain@example..com', malformed: 'email' },
  { ...valid, email: 'space in@example.com', malformed: 'email' },
  { ...valid, email: `${'a'.repeat(320)}@example.com`, malformed: 'email' },
  { ...valid, email: 'long.name@example.com', first_name: 'x'.repeat(200), malformed: 'first_name' },
  { ...valid, email: 'no.country@example.com', country_code: 'Sverige', malformed: 'country_code' },
  { ...valid, email: 'nul@example.com', company: 'a\u0000b', malformed: 'company' },
  {
    ...valid,
    email: 'tags@example.com',
    tags: Array.from({ length: 51 }, (_, index) => `tag-${index}`),
    malformed: 'tags',
  },
  { ...valid, email: 'field@example.com', custom_fields: { no_such_field: 1 }, malformed: 'no_such_field' },
  { ...valid, email: 'number@example.com', last_name: 42 as unknown as string, malformed: 'last_name' },
]

// People of an old list without evidence of consent: they become contacts, and campaigns exclude them.
const legacyCount = 15

const doing = behaviours.flatMap(([behaviour, count]) => Array.from({ length: count }, () => behaviour))
const rows = Array.from({ length: 2_000 - malformed.length }, (_, index) => ({
  ...person(index + 1, doing[index]),
  ...(index >= doing.length && index < doing.length + legacyCount ? { is_legacy: true } : {}),
}))
for (let at = rows.length - 1; at > 0; at -= 1) {
  const other = below(at + 1)
  ;[rows[at], rows[other]] = [rows[other]!, rows[at]!]
}
malformed.forEach((row, index) => rows.splice(100 + index * 150, 0, row))
writeFileSync(new URL('contacts.jsonl', import.meta.url), `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`)
