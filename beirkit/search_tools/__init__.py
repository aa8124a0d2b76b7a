"""Search tools on datasets of supporting pages: asked, their responses kept, scored."""
