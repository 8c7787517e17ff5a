"""What the chapters of Every Step share: data, model, history, figures. No training loop."""
