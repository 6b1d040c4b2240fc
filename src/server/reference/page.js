SwaggerUIBundle({
  url: new URL('v1/openapi.json', location.href).href,
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  persistAuthorization: false,
  validatorUrl: null,
});
