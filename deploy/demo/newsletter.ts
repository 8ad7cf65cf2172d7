/** The content of the demo's campaign: a table layout with inline styles, a dark-mode rule, tokens, and a script that must be removed. */
export const newsletter = {
  subject: '{{ first_name }}, three things that got better this month',
  preheader: 'Short, as promised.',
  personalization_defaults: { first_name: 'friend', company: 'your team', topic: 'everything' },
  html: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Acme</title>
<style>
  @media (prefers-color-scheme: dark) { .page { background: #111827 !important; color: #f9fafb !important; } }
  @media (max-width: 480px) { .page { padding: 12px !important; } }
</style></head>
<body style="margin:0">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td class="page" style="padding:32px;font-family:Georgia,serif;color:#1f2937">
  <h1 style="font-size:22px;margin:0 0 16px">Hello {{ first_name }}</h1>
  <p style="line-height:1.5">What we heard from {{ company }} and many others is now in the product: faster search, quieter notifications, and an export that opens in every spreadsheet. Your topic: {{ topic }}.</p>
  <p><a href="https://www.acme.test/news" style="background:#1d4ed8;color:#ffffff;padding:12px 20px;border-radius:6px;text-decoration:none">Read the three notes</a></p>
  <script>document.title = 'this never leaves the building'</script>
  <p style="font-size:12px;color:#6b7280">You get this because you asked for it. <a href="{{ unsubscribe_url }}" style="color:#6b7280">Unsubscribe</a></p>
</td></tr></table>
</body></html>`,
}
