import { describe, expect, test } from '@jest/globals'
import { compileContent } from './compile.ts'
import { prepareContent } from './prepare.ts'
import { providerTemplate, recipientVariables, renderMessage } from './render.ts'

describe('the link of a confirmation', () => {
  const compiled = compileContent(
    prepareContent({
      subject: 'Confirm',
      preheader: null,
      plainText: null,
      html: '<p>Hi <a href="{{ confirmation_url }}">confirm</a></p>',
      personalizationDefaults: { confirmation_url: 'https://evil.test' },
    }).content,
  )
  const url = 'https://news.test/confirmations/k1.abc_-.def'

  test('is a whole link, in the HTML and in the text, and equal in both ways to fill it in', () => {
    const fields = { confirmation_url: url }
    const rendered = renderMessage(compiled, { fields, unsubscribeUrl: 'https://news.test/preferences/x' })
    expect(rendered.html).toContain(`<a href="${url}"`)
    expect(rendered.text).toContain(url)
    const variables = recipientVariables(compiled, fields)!
    const template = providerTemplate(compiled, 'https://news.test/preferences/')
    const filled = template.html.replaceAll(/%recipient\.(\w+)%/g, (_, name: string) => variables[name]!)
    expect(filled).toBe(rendered.html)
  })

  test('has no value from a default', () => {
    const rendered = renderMessage(compiled, { fields: {}, unsubscribeUrl: 'https://news.test/preferences/x' })
    expect(rendered.html + rendered.text).not.toContain('evil.test')
  })
})
